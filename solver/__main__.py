"""`python -m ...solver` is the same as the command `stiction`."""

import sys

from .cli import main

sys.exit(main())
