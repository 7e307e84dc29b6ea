"""The backend of the app."""
