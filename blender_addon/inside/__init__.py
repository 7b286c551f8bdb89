"""Looking into a run: its verdict, its contacts and forces, plots, methods compared on one of its steps."""
