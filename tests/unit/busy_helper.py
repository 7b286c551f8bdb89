"""A helper process that computes and never looks up: see tests/blender/test_no_threads.py."""


def main():
    """Say so, and compute for hours."""
    print("at work", flush=True)
    count = 0
    while count < 1e12:
        count += 1
    return 0
