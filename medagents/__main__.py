"""`python -m medagents`."""

from medagents.cli import main

raise SystemExit(main())
