import unittest
from types import SimpleNamespace
from typing import Any

from appserver_sdk import AppCaller, People, Person
from appserver_sdk.people import caller_permissions
from appserver_sdk.proto import access_pb2


class Access:
    """The service, with people for all ids but `none`."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def FindPeople(self, **fields: Any) -> Any:
        self.calls.append(fields)
        return access_pb2.FindPeopleResponse(people=[{"user_id": "ada", "display_name": "Ada", "email": "ada@x.org", "active": True}])

    def GetPeople(self, *, user_ids: list[str]) -> Any:
        self.calls.append({"ids": len(user_ids)})
        people = [{"user_id": each, "display_name": f"P {each}"} for each in user_ids if each != "none"]
        return access_pb2.GetPeopleResponse(people=people)

    def CheckPermissions(self, **fields: Any) -> Any:
        self.calls.append(fields)
        return access_pb2.CheckPermissionsResponse(held=["notes:read"])

    def NotifyPerson(self, **fields: Any) -> Any:
        self.calls.append(fields)
        return access_pb2.NotifyPersonResponse(message_id="m-1")


class PeopleTest(unittest.TestCase):
    def setUp(self) -> None:
        self.access = Access()
        self.client: Any = SimpleNamespace(access=self.access)

    def test_people_are_found_and_read_by_100_ids_in_a_call(self) -> None:
        people = People(self.client)
        self.assertEqual(people.find("ada", 5), [Person("ada", "Ada", "ada@x.org", True)])
        self.assertEqual(people.get("1"), Person("1", "P 1", None, False))
        self.assertIsNone(people.get("none"))
        ids = [str(each) for each in range(101)]
        self.assertEqual(list(people.get_each([*ids, *ids])), ids)
        self.assertEqual(self.access.calls, [{"text": "ada", "limit": 5}, {"ids": 1}, {"ids": 1}, {"ids": 100}, {"ids": 1}])

    def test_a_person_is_notified(self) -> None:
        people = People(self.client)
        self.assertEqual(people.notify("ada", "Card 7 is due", path="/board/cards/7"), "m-1")
        self.assertEqual(self.access.calls, [{"user_id": "ada", "title": "Card 7 is due", "text": "", "path": "/board/cards/7"}])

    def test_what_a_caller_may_do_is_asked_for_users_and_apps(self) -> None:
        check = caller_permissions(self.client)
        for caller in (AppCaller(None, None), AppCaller(None, None, "m-1")):
            self.assertFalse(check(caller.user_id, caller.app_name, "notes:read"))
        self.assertEqual(self.access.calls, [])
        self.assertTrue(check("ada", None, "notes:read"))
        self.assertFalse(check(None, "com.example.clock", "notes:approve"))
        self.assertEqual(self.access.calls[0], {"user_id": "ada", "app_name": None, "permissions": ["notes:read"]})
        with self.assertRaisesRegex(RuntimeError, "other apps pass `platform` to serve_app"):
            caller_permissions(None)("ada", None, "notes:read")
