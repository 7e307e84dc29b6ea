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
        "ZXJtaXNzaW9uc1Jlc3BvbnNlEhIKBGhlbGQYASADKAlSBGhlbGQykQIKDUFjY2Vzc1NlcnZpY2USTwoKRmluZFBlb3BsZRIfLmFw"
        "cHNlcnZlci52Mi5GaW5kUGVvcGxlUmVxdWVzdBogLmFwcHNlcnZlci52Mi5GaW5kUGVvcGxlUmVzcG9uc2USTAoJR2V0UGVvcGxl"
        "Eh4uYXBwc2VydmVyLnYyLkdldFBlb3BsZVJlcXVlc3QaHy5hcHBzZXJ2ZXIudjIuR2V0UGVvcGxlUmVzcG9uc2USYQoQQ2hlY2tQ"
        "ZXJtaXNzaW9ucxIlLmFwcHNlcnZlci52Mi5DaGVja1Blcm1pc3Npb25zUmVxdWVzdBomLmFwcHNlcnZlci52Mi5DaGVja1Blcm1p"
        "c3Npb25zUmVzcG9uc2ViBnByb3RvMw=="
    )
)

Person = GetMessageClass(_FILE.message_types_by_name["Person"])
FindPeopleRequest = GetMessageClass(_FILE.message_types_by_name["FindPeopleRequest"])
FindPeopleResponse = GetMessageClass(_FILE.message_types_by_name["FindPeopleResponse"])
GetPeopleRequest = GetMessageClass(_FILE.message_types_by_name["GetPeopleRequest"])
GetPeopleResponse = GetMessageClass(_FILE.message_types_by_name["GetPeopleResponse"])
CheckPermissionsRequest = GetMessageClass(_FILE.message_types_by_name["CheckPermissionsRequest"])
CheckPermissionsResponse = GetMessageClass(_FILE.message_types_by_name["CheckPermissionsResponse"])
AccessService = _FILE.services_by_name["AccessService"]
