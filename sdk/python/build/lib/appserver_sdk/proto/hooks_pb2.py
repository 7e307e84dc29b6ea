"""Generated from contracts/proto/appserver/v2/hooks.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

from google.protobuf import descriptor_pool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

# Their messages are used by this file's.
from google.protobuf import struct_pb2, timestamp_pb2  # noqa: F401

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChhhcHBzZXJ2ZXIvdjIvaG9va3MucHJvdG8SDGFwcHNlcnZlci52MhocZ29vZ2xlL3Byb3RvYnVmL3N0cnVjdC5wcm90bxofZ29v"
        "Z2xlL3Byb3RvYnVmL3RpbWVzdGFtcC5wcm90byK3AgoJSG9va0V2ZW50Eg4KAmlkGAEgASgJUgJpZBIbCglob29rX25hbWUYAiAB"
        "KAlSCGhvb2tOYW1lEh0KCnNvdXJjZV9hcHAYAyABKAlSCXNvdXJjZUFwcBIqCgRkYXRhGAQgASgLMhYuZ29vZ2xlLnByb3RvYnVm"
        "LlZhbHVlUgRkYXRhEj0KDHRyaWdnZXJlZF9hdBgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSC3RyaWdnZXJlZEF0"
        "EhgKB2F0dGVtcHQYBiABKAVSB2F0dGVtcHQSJgoMb3JkZXJpbmdfa2V5GAcgASgJSABSC29yZGVyaW5nS2V5iAEBEiAKC3RyYWNl"
        "cGFyZW50GAggASgJUgt0cmFjZXBhcmVudEIPCg1fb3JkZXJpbmdfa2V5Io0BChJUcmlnZ2VySG9va1JlcXVlc3QSEgoEbmFtZRgB"
        "IAEoCVIEbmFtZRIqCgRkYXRhGAIgASgLMhYuZ29vZ2xlLnByb3RvYnVmLlZhbHVlUgRkYXRhEiYKDG9yZGVyaW5nX2tleRgDIAEo"
        "CUgAUgtvcmRlcmluZ0tleYgBAUIPCg1fb3JkZXJpbmdfa2V5IlIKE1RyaWdnZXJIb29rUmVzcG9uc2USGQoIZXZlbnRfaWQYASAB"
        "KAlSB2V2ZW50SWQSIAoLc3Vic2NyaWJlcnMYAiABKAVSC3N1YnNjcmliZXJzIoMBChBTdWJzY3JpYmVSZXF1ZXN0EjQKBXN0YXJ0"
        "GAEgASgLMhwuYXBwc2VydmVyLnYyLlN1YnNjcmliZVN0YXJ0SABSBXN0YXJ0Ei4KA2FjaxgCIAEoCzIaLmFwcHNlcnZlci52Mi5T"
        "dWJzY3JpYmVBY2tIAFIDYWNrQgkKB21lc3NhZ2UiagoOU3Vic2NyaWJlU3RhcnQSHQoKaG9va19uYW1lcxgBIAMoCVIJaG9va05h"
        "bWVzEicKDW1heF9pbl9mbGlnaHQYAiABKAVIAFILbWF4SW5GbGlnaHSIAQFCEAoOX21heF9pbl9mbGlnaHQiWgoMU3Vic2NyaWJl"
        "QWNrEhkKCGV2ZW50X2lkGAEgASgJUgdldmVudElkEi8KBnJlc3VsdBgCIAEoDjIXLmFwcHNlcnZlci52Mi5BY2tSZXN1bHRSBnJl"
        "c3VsdCJCChFTdWJzY3JpYmVSZXNwb25zZRItCgVldmVudBgBIAEoCzIXLmFwcHNlcnZlci52Mi5Ib29rRXZlbnRSBWV2ZW50IhYK"
        "FEdldFB1c2hTZWNyZXRSZXF1ZXN0Ii8KFUdldFB1c2hTZWNyZXRSZXNwb25zZRIWCgZzZWNyZXQYASABKAlSBnNlY3JldCpqCglB"
        "Y2tSZXN1bHQSGgoWQUNLX1JFU1VMVF9VTlNQRUNJRklFRBAAEhYKEkFDS19SRVNVTFRfU1VDQ0VTUxABEhQKEEFDS19SRVNVTFRf"
        "UkVUUlkQAhITCg9BQ0tfUkVTVUxUX0RST1AQAzKOAgoMSG9va3NTZXJ2aWNlElIKC1RyaWdnZXJIb29rEiAuYXBwc2VydmVyLnYy"
        "LlRyaWdnZXJIb29rUmVxdWVzdBohLmFwcHNlcnZlci52Mi5UcmlnZ2VySG9va1Jlc3BvbnNlElAKCVN1YnNjcmliZRIeLmFwcHNl"
        "cnZlci52Mi5TdWJzY3JpYmVSZXF1ZXN0Gh8uYXBwc2VydmVyLnYyLlN1YnNjcmliZVJlc3BvbnNlKAEwARJYCg1HZXRQdXNoU2Vj"
        "cmV0EiIuYXBwc2VydmVyLnYyLkdldFB1c2hTZWNyZXRSZXF1ZXN0GiMuYXBwc2VydmVyLnYyLkdldFB1c2hTZWNyZXRSZXNwb25z"
        "ZWIGcHJvdG8z"
    )
)

AckResult = EnumTypeWrapper(_FILE.enum_types_by_name["AckResult"])
HookEvent = GetMessageClass(_FILE.message_types_by_name["HookEvent"])
TriggerHookRequest = GetMessageClass(_FILE.message_types_by_name["TriggerHookRequest"])
TriggerHookResponse = GetMessageClass(_FILE.message_types_by_name["TriggerHookResponse"])
SubscribeRequest = GetMessageClass(_FILE.message_types_by_name["SubscribeRequest"])
SubscribeStart = GetMessageClass(_FILE.message_types_by_name["SubscribeStart"])
SubscribeAck = GetMessageClass(_FILE.message_types_by_name["SubscribeAck"])
SubscribeResponse = GetMessageClass(_FILE.message_types_by_name["SubscribeResponse"])
GetPushSecretRequest = GetMessageClass(_FILE.message_types_by_name["GetPushSecretRequest"])
GetPushSecretResponse = GetMessageClass(_FILE.message_types_by_name["GetPushSecretResponse"])
HooksService = _FILE.services_by_name["HooksService"]
