"""The people of the platform, and what callers of the app may do (docs/interface/grpc.md#access)."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .app_environment import app_environment
from .app_identity import read_app_identity
from .platform_client import PlatformClient

_IDS_PER_CALL = 100


@dataclass(frozen=True, slots=True)
class Person:
    """A person, as the identity provider knows them."""

    user_id: str
    display_name: str
    email: str | None
    """None if the identity provider has none. It may not be proven."""
    is_active: bool
    """False if the person cannot sign in."""


class People:
    """The people of the platform. All methods raise `grpc.RpcError` with PERMISSION_DENIED unless the app holds the permission
    `people:read`, or for `notify` `people:notify`.
    """

    def __init__(self, client: PlatformClient) -> None:
        self._client = client

    def find(self, text: str, limit: int = 20) -> list[Person]:
        """Returns people who can sign in and whose name, address or id contains `text`, by their names. `text` has 2 to 256 characters,
        `limit` is 1 to 20.
        """
        return [_person(each) for each in self._client.access.FindPeople(text=text, limit=limit).people]

    def get(self, user_id: str) -> Person | None:
        """Returns a person, also one who cannot sign in. None if there is none with this id."""
        return self.get_each([user_id]).get(user_id)

    def get_each(self, user_ids: Iterable[str]) -> Mapping[str, Person]:
        """Returns people by their ids, without those that do not exist: the names of a list by one call for each 100."""
        ids = list(dict.fromkeys(user_ids))
        found: dict[str, Person] = {}
        for start in range(0, len(ids), _IDS_PER_CALL):
            response = self._client.access.GetPeople(user_ids=ids[start : start + _IDS_PER_CALL])
            found |= {each.user_id: _person(each) for each in response.people}
        return found

    def notify(self, user_id: str, title: str, text: str = "", path: str = "") -> str:
        """Sends a message to a person who may open a page of the app: the console shows it below its bell. Returns the id of the message.
        `title` is one line of 1 to 100 characters, `text` has at most 500. `path` is the route base of the app's page, which is the default,
        or a path below it, with query and fragment. Raises `grpc.RpcError`: NOT_FOUND for other people, RESOURCE_EXHAUSTED after 60 messages
        of the app in a minute, or 20 of them to the same person in an hour.
        """
        response = self._client.access.NotifyPerson(user_id=user_id, title=title, text=text, path=path)
        return str(response.message_id)


def _person(message: Any) -> Person:
    return Person(message.user_id, message.display_name, message.email or None, message.active)


# Whether the user or the app, which is None if the caller is not of that kind, holds a permission.
CallerPermissions = Callable[[str | None, str | None, str], bool]


def caller_permissions(given: PlatformClient | None) -> CallerPermissions:
    """Returns a check of the app's own permissions. It asks the given platform, else the one that runs the app, to which it connects at the
    first check.
    """
    lock = threading.Lock()
    found = [] if given is None else [given]

    def check(user_id: str | None, app_name: str | None, permission: str) -> bool:
        if user_id is None and app_name is None:
            return False
        with lock:
            if not found:
                found.append(_own_platform())
        response = found[0].access.CheckPermissions(user_id=user_id, app_name=app_name, permissions=[permission])
        return permission in response.held

    return check


def _own_platform() -> PlatformClient:
    environment = app_environment()
    if not os.environ.get("APP_NAME") or environment.grpc_address is None:
        raise RuntimeError(
            "permissions of callers cannot be checked: the platform sets APP_NAME and APPSERVER_GRPC_ADDRESS for the apps that it runs; "
            "other apps pass `platform` to serve_app"
        )
    grpc_url = f"http://{environment.grpc_address}"
    return PlatformClient(
        grpc_url=grpc_url, app_name=environment.app_name, private_key=read_app_identity().private_key
    )
