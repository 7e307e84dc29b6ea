"""Generated from contracts/proto/appserver/v2/access.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

from google.protobuf import descriptor_pool
from google.protobuf.message_factory import GetMessageClass

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChlhcHBzZXJ2ZXIvdjIvYWNjZXNzLnByb3RvEgxhcHBzZXJ2ZXIudjIicgoGUGVyc29uEhcKB3VzZXJfaWQYASABKAlSBnVzZXJJ"
        "ZBIhCgxkaXNwbGF5X25hbWUYAiABKAlSC2Rpc3BsYXlOYW1lEhQKBWVtYWlsGAMgASgJUgVlbWFpbBIWCgZhY3RpdmUYBCABKAhS"
        "BmFjdGl2ZSI9ChFGaW5kUGVvcGxlUmVxdWVzdBISCgR0ZXh0GAEgASgJUgR0ZXh0EhQKBWxpbWl0GAIgASgFUgVsaW1pdCJCChJG"
        "aW5kUGVvcGxlUmVzcG9uc2USLAoGcGVvcGxlGAEgAygLMhQuYXBwc2VydmVyLnYyLlBlcnNvblIGcGVvcGxlIi0KEEdldFBlb3Bs"
        "ZVJlcXVlc3QSGQoIdXNlcl9pZHMYASADKAlSB3VzZXJJZHMiQQoRR2V0UGVvcGxlUmVzcG9uc2USLAoGcGVvcGxlGAEgAygLMhQu"
        "YXBwc2VydmVyLnYyLlBlcnNvblIGcGVvcGxlIm8KF0NoZWNrUGVybWlzc2lvbnNSZXF1ZXN0EhcKB3VzZXJfaWQYASABKAlSBnVz"
        "ZXJJZBIZCghhcHBfbmFtZRgCIAEoCVIHYXBwTmFtZRIgCgtwZXJtaXNzaW9ucxgDIAMoCVILcGVybWlzc2lvbnMiLgoYQ2hlY2tQ"
        "ZXJtaXNzaW9uc1Jlc3BvbnNlEhIKBGhlbGQYASADKAlSBGhlbGQibAoTTm90aWZ5UGVyc29uUmVxdWVzdBIXCgd1c2VyX2lkGAEg"
        "ASgJUgZ1c2VySWQSFAoFdGl0bGUYAiABKAlSBXRpdGxlEhIKBHRleHQYAyABKAlSBHRleHQSEgoEcGF0aBgEIAEoCVIEcGF0aCI1"
        "ChROb3RpZnlQZXJzb25SZXNwb25zZRIdCgptZXNzYWdlX2lkGAEgASgJUgltZXNzYWdlSWQy6AIKDUFjY2Vzc1NlcnZpY2USTwoK"
        "RmluZFBlb3BsZRIfLmFwcHNlcnZlci52Mi5GaW5kUGVvcGxlUmVxdWVzdBogLmFwcHNlcnZlci52Mi5GaW5kUGVvcGxlUmVzcG9u"
        "c2USTAoJR2V0UGVvcGxlEh4uYXBwc2VydmVyLnYyLkdldFBlb3BsZVJlcXVlc3QaHy5hcHBzZXJ2ZXIudjIuR2V0UGVvcGxlUmVz"
        "cG9uc2USYQoQQ2hlY2tQZXJtaXNzaW9ucxIlLmFwcHNlcnZlci52Mi5DaGVja1Blcm1pc3Npb25zUmVxdWVzdBomLmFwcHNlcnZl"
        "ci52Mi5DaGVja1Blcm1pc3Npb25zUmVzcG9uc2USVQoMTm90aWZ5UGVyc29uEiEuYXBwc2VydmVyLnYyLk5vdGlmeVBlcnNvblJl"
        "cXVlc3QaIi5hcHBzZXJ2ZXIudjIuTm90aWZ5UGVyc29uUmVzcG9uc2ViBnByb3RvMw=="
    )
)

Person = GetMessageClass(_FILE.message_types_by_name["Person"])
FindPeopleRequest = GetMessageClass(_FILE.message_types_by_name["FindPeopleRequest"])
FindPeopleResponse = GetMessageClass(_FILE.message_types_by_name["FindPeopleResponse"])
GetPeopleRequest = GetMessageClass(_FILE.message_types_by_name["GetPeopleRequest"])
GetPeopleResponse = GetMessageClass(_FILE.message_types_by_name["GetPeopleResponse"])
CheckPermissionsRequest = GetMessageClass(_FILE.message_types_by_name["CheckPermissionsRequest"])
CheckPermissionsResponse = GetMessageClass(_FILE.message_types_by_name["CheckPermissionsResponse"])
NotifyPersonRequest = GetMessageClass(_FILE.message_types_by_name["NotifyPersonRequest"])
NotifyPersonResponse = GetMessageClass(_FILE.message_types_by_name["NotifyPersonResponse"])
AccessService = _FILE.services_by_name["AccessService"]
