"""What a run keeps so that others can check it: its constants, and every substep with its contacts and impulses."""
