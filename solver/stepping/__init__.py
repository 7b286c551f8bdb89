"""Contacts over a step: releases, subdivision, review, sleeping, parts of the model."""
