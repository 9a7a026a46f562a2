"""`python -m warplens`: the one command."""

import sys

from warplens.server.cli.main import main

sys.exit(main())
