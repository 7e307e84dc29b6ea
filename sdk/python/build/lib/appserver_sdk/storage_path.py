"""Folders that outlive the backend (docs/interface/containers.md#storage)."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

_NAME = re.compile(r"(?=.{1,40}\Z)[a-z]([a-z0-9-]*[a-z0-9])?", re.ASCII)


def storage_path(name: str, env: Mapping[str, str] = os.environ) -> Path:
    """Returns the path of a storage that the manifest of the app declares. What the app writes there is there again after a restart,
    an upgrade and another installation. Raises ValueError if the platform did not pass a storage of this name.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"there is no storage {name!r}: that is not the name of a storage")
    variable = f"APP_STORAGE_{name.upper().replace('-', '_')}"
    path = env.get(variable)
    if not path:
        raise ValueError(
            f"there is no storage {name!r}: {variable} is not set. The platform sets it for the apps that it runs and whose app.yaml "
            "has this `storage`; for an app that you start yourself, set it to a folder"
        )
    return Path(path)
