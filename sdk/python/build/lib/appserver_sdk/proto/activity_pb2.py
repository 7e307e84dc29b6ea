"""Generated from contracts/proto/appserver/v2/activity.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

from google.protobuf import descriptor_pool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

# Their messages are used by this file's.
from google.protobuf import struct_pb2, timestamp_pb2  # noqa: F401
from . import common_pb2, manifest_pb2  # noqa: F401

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChthcHBzZXJ2ZXIvdjIvYWN0aXZpdHkucHJvdG8SDGFwcHNlcnZlci52MhoZYXBwc2VydmVyL3YyL2NvbW1vbi5wcm90bxobYXBw"
        "c2VydmVyL3YyL21hbmlmZXN0LnByb3RvGhxnb29nbGUvcHJvdG9idWYvc3RydWN0LnByb3RvGh9nb29nbGUvcHJvdG9idWYvdGlt"
        "ZXN0YW1wLnByb3RvIvQFCgtBY3Rpdml0eVJ1bhIOCgJpZBgBIAEoCVICaWQSGQoIYXBwX25hbWUYAiABKAlSB2FwcE5hbWUSGgoI"
        "YWN0aXZpdHkYAyABKAlSCGFjdGl2aXR5Ei8KBnN0YXR1cxgEIAEoDjIXLmFwcHNlcnZlci52Mi5SdW5TdGF0dXNSBnN0YXR1cxIY"
        "CgdhdHRlbXB0GAUgASgFUgdhdHRlbXB0Eh8KCHByb2dyZXNzGAYgASgBSABSCHByb2dyZXNziAEBEhkKBXN0YWdlGAcgASgJSAFS"
        "BXN0YWdliAEBEiwKBWlucHV0GAggASgLMhYuZ29vZ2xlLnByb3RvYnVmLlZhbHVlUgVpbnB1dBIuCgZvdXRwdXQYCSABKAsyFi5n"
        "b29nbGUucHJvdG9idWYuVmFsdWVSBm91dHB1dBIrCgVlcnJvchgKIAEoCzIVLmFwcHNlcnZlci52Mi5Qcm9ibGVtUgVlcnJvchI/"
        "Cg1zY2hlZHVsZWRfZm9yGAsgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcFIMc2NoZWR1bGVkRm9yEjcKCXF1ZXVlZF9h"
        "dBgMIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSCHF1ZXVlZEF0EjkKCnN0YXJ0ZWRfYXQYDSABKAsyGi5nb29nbGUu"
        "cHJvdG9idWYuVGltZXN0YW1wUglzdGFydGVkQXQSOwoLZmluaXNoZWRfYXQYDiABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0"
        "YW1wUgpmaW5pc2hlZEF0Eh4KCHJldHJ5X29mGA8gASgJSAJSB3JldHJ5T2aIAQESIAoLdHJhY2VwYXJlbnQYECABKAlSC3RyYWNl"
        "cGFyZW50EjQKCGF0dGVtcHRzGBEgAygLMhguYXBwc2VydmVyLnYyLlJ1bkF0dGVtcHRSCGF0dGVtcHRzQgsKCV9wcm9ncmVzc0II"
        "CgZfc3RhZ2VCCwoJX3JldHJ5X29mIvwBCgpSdW5BdHRlbXB0EhYKBm51bWJlchgBIAEoBVIGbnVtYmVyEjkKCnN0YXJ0ZWRfYXQY"
        "AiABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wUglzdGFydGVkQXQSOwoLZmluaXNoZWRfYXQYAyABKAsyGi5nb29nbGUu"
        "cHJvdG9idWYuVGltZXN0YW1wUgpmaW5pc2hlZEF0EjEKB291dGNvbWUYBCABKA4yFy5hcHBzZXJ2ZXIudjIuUnVuU3RhdHVzUgdv"
        "dXRjb21lEisKBWVycm9yGAUgASgLMhUuYXBwc2VydmVyLnYyLlByb2JsZW1SBWVycm9yIl0KGVJlZ2lzdGVyQWN0aXZpdGllc1Jl"
        "cXVlc3QSQAoKYWN0aXZpdGllcxgBIAMoCzIgLmFwcHNlcnZlci52Mi5BY3Rpdml0eURlZmluaXRpb25SCmFjdGl2aXRpZXMiHAoa"
        "UmVnaXN0ZXJBY3Rpdml0aWVzUmVzcG9uc2Ui8gEKFlRyaWdnZXJBY3Rpdml0eVJlcXVlc3QSGQoIYXBwX25hbWUYASABKAlSB2Fw"
        "cE5hbWUSGgoIYWN0aXZpdHkYAiABKAlSCGFjdGl2aXR5EiwKBWlucHV0GAMgASgLMhYuZ29vZ2xlLnByb3RvYnVmLlZhbHVlUgVp"
        "bnB1dBIsCg9pZGVtcG90ZW5jeV9rZXkYBCABKAlIAFIOaWRlbXBvdGVuY3lLZXmIAQESMQoGcnVuX2F0GAUgASgLMhouZ29vZ2xl"
        "LnByb3RvYnVmLlRpbWVzdGFtcFIFcnVuQXRCEgoQX2lkZW1wb3RlbmN5X2tleSJGChdUcmlnZ2VyQWN0aXZpdHlSZXNwb25zZRIr"
        "CgNydW4YASABKAsyGS5hcHBzZXJ2ZXIudjIuQWN0aXZpdHlSdW5SA3J1biLEAgoXU2NoZWR1bGVBY3Rpdml0eVJlcXVlc3QSGQoI"
        "YXBwX25hbWUYASABKAlSB2FwcE5hbWUSGgoIYWN0aXZpdHkYAiABKAlSCGFjdGl2aXR5EhQKBGNyb24YAyABKAlIAFIEY3JvbhIr"
        "ChBpbnRlcnZhbF9zZWNvbmRzGAQgASgFSABSD2ludGVydmFsU2Vjb25kcxIfCgh0aW1lem9uZRgFIAEoCUgBUgh0aW1lem9uZYgB"
        "ARIsCgVpbnB1dBgGIAEoCzIWLmdvb2dsZS5wcm90b2J1Zi5WYWx1ZVIFaW5wdXQSHQoHZW5hYmxlZBgHIAEoCEgCUgdlbmFibGVk"
        "iAEBEhUKA2tleRgIIAEoCUgDUgNrZXmIAQFCCQoHdHJpZ2dlckILCglfdGltZXpvbmVCCgoIX2VuYWJsZWRCBgoEX2tleSJ3ChhT"
        "Y2hlZHVsZUFjdGl2aXR5UmVzcG9uc2USHwoLc2NoZWR1bGVfaWQYASABKAlSCnNjaGVkdWxlSWQSOgoLbmV4dF9ydW5fYXQYAiAB"
        "KAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wUgluZXh0UnVuQXQi9AEKC1dvcmtSZXF1ZXN0Ei8KBXJlYWR5GAEgASgLMhcu"
        "YXBwc2VydmVyLnYyLldvcmtSZWFkeUgAUgVyZWFkeRI7CgloZWFydGJlYXQYAiABKAsyGy5hcHBzZXJ2ZXIudjIuV29ya0hlYXJ0"
        "YmVhdEgAUgloZWFydGJlYXQSOAoIcHJvZ3Jlc3MYAyABKAsyGi5hcHBzZXJ2ZXIudjIuV29ya1Byb2dyZXNzSABSCHByb2dyZXNz"
        "EjIKBnJlc3VsdBgEIAEoCzIYLmFwcHNlcnZlci52Mi5Xb3JrUmVzdWx0SABSBnJlc3VsdEIJCgdtZXNzYWdlIm8KCVdvcmtSZWFk"
        "eRIeCgphY3Rpdml0aWVzGAEgAygJUgphY3Rpdml0aWVzEhQKBXNsb3RzGAIgASgFUgVzbG90cxIfCghjYXBhY2l0eRgDIAEoBUgA"
        "UghjYXBhY2l0eYgBAUILCglfY2FwYWNpdHkiUQoNV29ya0hlYXJ0YmVhdBIVCgZydW5faWQYASABKAlSBXJ1bklkEh0KB2F0dGVt"
        "cHQYAiABKAVIAFIHYXR0ZW1wdIgBAUIKCghfYXR0ZW1wdCKCAQoMV29ya1Byb2dyZXNzEhUKBnJ1bl9pZBgBIAEoCVIFcnVuSWQS"
        "GgoIcHJvZ3Jlc3MYAiABKAFSCHByb2dyZXNzEhQKBXN0YWdlGAMgASgJUgVzdGFnZRIdCgdhdHRlbXB0GAQgASgFSABSB2F0dGVt"
        "cHSIAQFCCgoIX2F0dGVtcHQi2AEKCldvcmtSZXN1bHQSFQoGcnVuX2lkGAEgASgJUgVydW5JZBIwCgZvdXRwdXQYAiABKAsyFi5n"
        "b29nbGUucHJvdG9idWYuVmFsdWVIAFIGb3V0cHV0Ei0KBWVycm9yGAMgASgLMhUuYXBwc2VydmVyLnYyLlByb2JsZW1IAFIFZXJy"
        "b3ISHAoIY2FuY2VsZWQYBCABKAhIAFIIY2FuY2VsZWQSHQoHYXR0ZW1wdBgFIAEoBUgBUgdhdHRlbXB0iAEBQgkKB291dGNvbWVC"
        "CgoIX2F0dGVtcHQiuQEKDFdvcmtSZXNwb25zZRIzCgZhc3NpZ24YASABKAsyGS5hcHBzZXJ2ZXIudjIuQWN0aXZpdHlSdW5IAFIG"
        "YXNzaWduEjIKBmNhbmNlbBgCIAEoCzIYLmFwcHNlcnZlci52Mi5Xb3JrQ2FuY2VsSABSBmNhbmNlbBI1CgdzZXR0bGVkGAMgASgL"
        "MhkuYXBwc2VydmVyLnYyLldvcmtTZXR0bGVkSABSB3NldHRsZWRCCQoHbWVzc2FnZSJxCgtXb3JrU2V0dGxlZBIVCgZydW5faWQY"
        "ASABKAlSBXJ1bklkEhoKCGFjY2VwdGVkGAIgASgIUghhY2NlcHRlZBIvCgdwcm9ibGVtGAMgASgLMhUuYXBwc2VydmVyLnYyLlBy"
        "b2JsZW1SB3Byb2JsZW0iIwoKV29ya0NhbmNlbBIVCgZydW5faWQYASABKAlSBXJ1bklkIiIKEENhbmNlbFJ1blJlcXVlc3QSDgoC"
        "aWQYASABKAlSAmlkIkAKEUNhbmNlbFJ1blJlc3BvbnNlEisKA3J1bhgBIAEoCzIZLmFwcHNlcnZlci52Mi5BY3Rpdml0eVJ1blID"
        "cnVuIh8KDUdldFJ1blJlcXVlc3QSDgoCaWQYASABKAlSAmlkIj0KDkdldFJ1blJlc3BvbnNlEisKA3J1bhgBIAEoCzIZLmFwcHNl"
        "cnZlci52Mi5BY3Rpdml0eVJ1blIDcnVuKoICCglSdW5TdGF0dXMSGgoWUlVOX1NUQVRVU19VTlNQRUNJRklFRBAAEhYKElJVTl9T"
        "VEFUVVNfREVMQVlFRBABEhUKEVJVTl9TVEFUVVNfUVVFVUVEEAISFgoSUlVOX1NUQVRVU19SVU5OSU5HEAMSGAoUUlVOX1NUQVRV"
        "U19DT01QTEVURUQQBBIVChFSVU5fU1RBVFVTX0ZBSUxFRBAFEhcKE1JVTl9TVEFUVVNfQ0FOQ0VMRUQQBhIYChRSVU5fU1RBVFVT"
        "X1RJTUVEX09VVBAHEhYKElJVTl9TVEFUVVNfQ1JBU0hFRBAIEhYKElJVTl9TVEFUVVNfRVhQSVJFRBAJMpMECg9BY3Rpdml0eVNl"
        "cnZpY2USZwoSUmVnaXN0ZXJBY3Rpdml0aWVzEicuYXBwc2VydmVyLnYyLlJlZ2lzdGVyQWN0aXZpdGllc1JlcXVlc3QaKC5hcHBz"
        "ZXJ2ZXIudjIuUmVnaXN0ZXJBY3Rpdml0aWVzUmVzcG9uc2USXgoPVHJpZ2dlckFjdGl2aXR5EiQuYXBwc2VydmVyLnYyLlRyaWdn"
        "ZXJBY3Rpdml0eVJlcXVlc3QaJS5hcHBzZXJ2ZXIudjIuVHJpZ2dlckFjdGl2aXR5UmVzcG9uc2USYQoQU2NoZWR1bGVBY3Rpdml0"
        "eRIlLmFwcHNlcnZlci52Mi5TY2hlZHVsZUFjdGl2aXR5UmVxdWVzdBomLmFwcHNlcnZlci52Mi5TY2hlZHVsZUFjdGl2aXR5UmVz"
        "cG9uc2USQQoEV29yaxIZLmFwcHNlcnZlci52Mi5Xb3JrUmVxdWVzdBoaLmFwcHNlcnZlci52Mi5Xb3JrUmVzcG9uc2UoATABEkwK"
        "CUNhbmNlbFJ1bhIeLmFwcHNlcnZlci52Mi5DYW5jZWxSdW5SZXF1ZXN0Gh8uYXBwc2VydmVyLnYyLkNhbmNlbFJ1blJlc3BvbnNl"
        "EkMKBkdldFJ1bhIbLmFwcHNlcnZlci52Mi5HZXRSdW5SZXF1ZXN0GhwuYXBwc2VydmVyLnYyLkdldFJ1blJlc3BvbnNlYgZwcm90"
        "bzM="
    )
)

RunStatus = EnumTypeWrapper(_FILE.enum_types_by_name["RunStatus"])
ActivityRun = GetMessageClass(_FILE.message_types_by_name["ActivityRun"])
RunAttempt = GetMessageClass(_FILE.message_types_by_name["RunAttempt"])
RegisterActivitiesRequest = GetMessageClass(_FILE.message_types_by_name["RegisterActivitiesRequest"])
RegisterActivitiesResponse = GetMessageClass(_FILE.message_types_by_name["RegisterActivitiesResponse"])
TriggerActivityRequest = GetMessageClass(_FILE.message_types_by_name["TriggerActivityRequest"])
TriggerActivityResponse = GetMessageClass(_FILE.message_types_by_name["TriggerActivityResponse"])
ScheduleActivityRequest = GetMessageClass(_FILE.message_types_by_name["ScheduleActivityRequest"])
ScheduleActivityResponse = GetMessageClass(_FILE.message_types_by_name["ScheduleActivityResponse"])
WorkRequest = GetMessageClass(_FILE.message_types_by_name["WorkRequest"])
WorkReady = GetMessageClass(_FILE.message_types_by_name["WorkReady"])
WorkHeartbeat = GetMessageClass(_FILE.message_types_by_name["WorkHeartbeat"])
WorkProgress = GetMessageClass(_FILE.message_types_by_name["WorkProgress"])
WorkResult = GetMessageClass(_FILE.message_types_by_name["WorkResult"])
WorkResponse = GetMessageClass(_FILE.message_types_by_name["WorkResponse"])
WorkSettled = GetMessageClass(_FILE.message_types_by_name["WorkSettled"])
WorkCancel = GetMessageClass(_FILE.message_types_by_name["WorkCancel"])
CancelRunRequest = GetMessageClass(_FILE.message_types_by_name["CancelRunRequest"])
CancelRunResponse = GetMessageClass(_FILE.message_types_by_name["CancelRunResponse"])
GetRunRequest = GetMessageClass(_FILE.message_types_by_name["GetRunRequest"])
GetRunResponse = GetMessageClass(_FILE.message_types_by_name["GetRunResponse"])
ActivityService = _FILE.services_by_name["ActivityService"]
