"""What a newcomer sees: the tab in Blender's first scene, with a body, and the search of F3.

Run by WALK=tests/gui/newcomer.py sh tools/test_gui.sh; the pictures are for looking at.
"""

import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import check, do, key, middle, override, picture


def install():
    driver.install()
    driver.open_sidebar()


def open_tab():
    driver.open_tab()


def look_first():
    picture("first")


def add():
    with override():
        result = bpy.ops.stiction.add_active()
    check(result == {"FINISHED"}, "the cube is a body")


def look_active():
    picture("active")


def search():
    key("F3", *middle())


def type_name():
    do("xdotool type --delay 200 'Drop to'")


def look_search():
    picture("search")
    do("xdotool key Escape")


def search_again():
    key("F3", *middle())


def type_other():
    do("xdotool type --delay 200 'Render All Runs'")


def look_other():
    picture("search_other")


STATIONS = [install, open_tab, look_first, add, look_active, search, type_name, look_search, search_again, type_other,
            look_other, driver.finish]  # fmt: skip
driver.begin("newcomer", STATIONS, pause=2 * driver.PACE, pictures="newcomer_", give_up=True)
