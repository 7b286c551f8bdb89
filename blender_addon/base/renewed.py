"""What refers to data that the extension makes anew says which, so that undo looks it up.

Blender 4.3 tells what a step of undo has changed by comparing bytes, addresses among them. Where an action is removed
and another made within one step, the second often lies where the first lay: an object that moves by it looks unchanged,
undo leaves it as it is, and it then moves by memory that was freed (tests/blender/blenders_own_addresses.py). A number
that no other data of the session has makes them differ.
"""

KEY = "stiction_refers"


def refer(owner, block):
    """Have an object's or a mesh's bytes tell which data-block it refers to by a pointer from now on."""
    if hasattr(owner, "stiction"):
        owner.stiction.record.refers = block.session_uid
    else:
        owner[KEY] = block.session_uid


def forget(mesh):
    """Take away from a mesh what `refer` wrote."""
    if KEY in mesh:
        del mesh[KEY]
