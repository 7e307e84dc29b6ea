"""The backend of the board: an app of the platform in Python, with no web framework but the SDK."""
