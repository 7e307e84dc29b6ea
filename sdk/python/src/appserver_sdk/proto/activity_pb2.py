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
        "KAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wUgluZXh0UnVuQXQiRQoZU2V0U2NoZWR1bGVFbmFibGVkUmVxdWVzdBIOCgJp"
        "ZBgBIAEoCVICaWQSGAoHZW5hYmxlZBgCIAEoCFIHZW5hYmxlZCJYChpTZXRTY2hlZHVsZUVuYWJsZWRSZXNwb25zZRI6CghzY2hl"
        "ZHVsZRgBIAEoCzIeLmFwcHNlcnZlci52Mi5BY3Rpdml0eVNjaGVkdWxlUghzY2hlZHVsZSInChVSdW5TY2hlZHVsZU5vd1JlcXVl"
        "c3QSDgoCaWQYASABKAlSAmlkIkUKFlJ1blNjaGVkdWxlTm93UmVzcG9uc2USKwoDcnVuGAEgASgLMhkuYXBwc2VydmVyLnYyLkFj"
        "dGl2aXR5UnVuUgNydW4i9AEKC1dvcmtSZXF1ZXN0Ei8KBXJlYWR5GAEgASgLMhcuYXBwc2VydmVyLnYyLldvcmtSZWFkeUgAUgVy"
        "ZWFkeRI7CgloZWFydGJlYXQYAiABKAsyGy5hcHBzZXJ2ZXIudjIuV29ya0hlYXJ0YmVhdEgAUgloZWFydGJlYXQSOAoIcHJvZ3Jl"
        "c3MYAyABKAsyGi5hcHBzZXJ2ZXIudjIuV29ya1Byb2dyZXNzSABSCHByb2dyZXNzEjIKBnJlc3VsdBgEIAEoCzIYLmFwcHNlcnZl"
        "ci52Mi5Xb3JrUmVzdWx0SABSBnJlc3VsdEIJCgdtZXNzYWdlIm8KCVdvcmtSZWFkeRIeCgphY3Rpdml0aWVzGAEgAygJUgphY3Rp"
        "dml0aWVzEhQKBXNsb3RzGAIgASgFUgVzbG90cxIfCghjYXBhY2l0eRgDIAEoBUgAUghjYXBhY2l0eYgBAUILCglfY2FwYWNpdHki"
        "UQoNV29ya0hlYXJ0YmVhdBIVCgZydW5faWQYASABKAlSBXJ1bklkEh0KB2F0dGVtcHQYAiABKAVIAFIHYXR0ZW1wdIgBAUIKCghf"
        "YXR0ZW1wdCKCAQoMV29ya1Byb2dyZXNzEhUKBnJ1bl9pZBgBIAEoCVIFcnVuSWQSGgoIcHJvZ3Jlc3MYAiABKAFSCHByb2dyZXNz"
        "EhQKBXN0YWdlGAMgASgJUgVzdGFnZRIdCgdhdHRlbXB0GAQgASgFSABSB2F0dGVtcHSIAQFCCgoIX2F0dGVtcHQi2AEKCldvcmtS"
        "ZXN1bHQSFQoGcnVuX2lkGAEgASgJUgVydW5JZBIwCgZvdXRwdXQYAiABKAsyFi5nb29nbGUucHJvdG9idWYuVmFsdWVIAFIGb3V0"
        "cHV0Ei0KBWVycm9yGAMgASgLMhUuYXBwc2VydmVyLnYyLlByb2JsZW1IAFIFZXJyb3ISHAoIY2FuY2VsZWQYBCABKAhIAFIIY2Fu"
        "Y2VsZWQSHQoHYXR0ZW1wdBgFIAEoBUgBUgdhdHRlbXB0iAEBQgkKB291dGNvbWVCCgoIX2F0dGVtcHQiuQEKDFdvcmtSZXNwb25z"
        "ZRIzCgZhc3NpZ24YASABKAsyGS5hcHBzZXJ2ZXIudjIuQWN0aXZpdHlSdW5IAFIGYXNzaWduEjIKBmNhbmNlbBgCIAEoCzIYLmFw"
        "cHNlcnZlci52Mi5Xb3JrQ2FuY2VsSABSBmNhbmNlbBI1CgdzZXR0bGVkGAMgASgLMhkuYXBwc2VydmVyLnYyLldvcmtTZXR0bGVk"
        "SABSB3NldHRsZWRCCQoHbWVzc2FnZSJxCgtXb3JrU2V0dGxlZBIVCgZydW5faWQYASABKAlSBXJ1bklkEhoKCGFjY2VwdGVkGAIg"
        "ASgIUghhY2NlcHRlZBIvCgdwcm9ibGVtGAMgASgLMhUuYXBwc2VydmVyLnYyLlByb2JsZW1SB3Byb2JsZW0iIwoKV29ya0NhbmNl"
        "bBIVCgZydW5faWQYASABKAlSBXJ1bklkIiIKEENhbmNlbFJ1blJlcXVlc3QSDgoCaWQYASABKAlSAmlkIkAKEUNhbmNlbFJ1blJl"
        "c3BvbnNlEisKA3J1bhgBIAEoCzIZLmFwcHNlcnZlci52Mi5BY3Rpdml0eVJ1blIDcnVuIiEKD1JldHJ5UnVuUmVxdWVzdBIOCgJp"
        "ZBgBIAEoCVICaWQiPwoQUmV0cnlSdW5SZXNwb25zZRIrCgNydW4YASABKAsyGS5hcHBzZXJ2ZXIudjIuQWN0aXZpdHlSdW5SA3J1"
        "biIfCg1HZXRSdW5SZXF1ZXN0Eg4KAmlkGAEgASgJUgJpZCI9Cg5HZXRSdW5SZXNwb25zZRIrCgNydW4YASABKAsyGS5hcHBzZXJ2"
        "ZXIudjIuQWN0aXZpdHlSdW5SA3J1biLiAQoPTGlzdFJ1bnNSZXF1ZXN0Eh4KCGFwcF9uYW1lGAEgASgJSABSB2FwcE5hbWWIAQES"
        "NAoGc3RhdHVzGAIgASgOMhcuYXBwc2VydmVyLnYyLlJ1blN0YXR1c0gBUgZzdGF0dXOIAQESIAoJcGFnZV9zaXplGAMgASgFSAJS"
        "CHBhZ2VTaXpliAEBEiIKCnBhZ2VfdG9rZW4YBCABKAlIA1IJcGFnZVRva2VuiAEBQgsKCV9hcHBfbmFtZUIJCgdfc3RhdHVzQgwK"
        "Cl9wYWdlX3NpemVCDQoLX3BhZ2VfdG9rZW4iaQoQTGlzdFJ1bnNSZXNwb25zZRItCgRydW5zGAEgAygLMhkuYXBwc2VydmVyLnYy"
        "LkFjdGl2aXR5UnVuUgRydW5zEiYKD25leHRfcGFnZV90b2tlbhgCIAEoCVINbmV4dFBhZ2VUb2tlbiIhCg9XYXRjaFJ1blJlcXVl"
        "c3QSDgoCaWQYASABKAlSAmlkIj8KEFdhdGNoUnVuUmVzcG9uc2USKwoDcnVuGAEgASgLMhkuYXBwc2VydmVyLnYyLkFjdGl2aXR5"
        "UnVuUgNydW4iRAoVTGlzdEFjdGl2aXRpZXNSZXF1ZXN0Eh4KCGFwcF9uYW1lGAEgASgJSABSB2FwcE5hbWWIAQFCCwoJX2FwcF9u"
        "YW1lIlgKFkxpc3RBY3Rpdml0aWVzUmVzcG9uc2USPgoKYWN0aXZpdGllcxgBIAMoCzIeLmFwcHNlcnZlci52Mi5EZWNsYXJlZEFj"
        "dGl2aXR5UgphY3Rpdml0aWVzIq0BChBEZWNsYXJlZEFjdGl2aXR5EhkKCGFwcF9uYW1lGAEgASgJUgdhcHBOYW1lEkAKCmRlZmlu"
        "aXRpb24YAiABKAsyIC5hcHBzZXJ2ZXIudjIuQWN0aXZpdHlEZWZpbml0aW9uUgpkZWZpbml0aW9uEjwKCXNjaGVkdWxlcxgDIAMo"
        "CzIeLmFwcHNlcnZlci52Mi5BY3Rpdml0eVNjaGVkdWxlUglzY2hlZHVsZXMi9gIKEEFjdGl2aXR5U2NoZWR1bGUSDgoCaWQYASAB"
        "KAlSAmlkEhAKA2tleRgCIAEoCVIDa2V5EhQKBGNyb24YAyABKAlIAFIEY3JvbhIrChBpbnRlcnZhbF9zZWNvbmRzGAQgASgFSABS"
        "D2ludGVydmFsU2Vjb25kcxIaCgh0aW1lem9uZRgFIAEoCVIIdGltZXpvbmUSGAoHZW5hYmxlZBgGIAEoCFIHZW5hYmxlZBI6Cgtu"
        "ZXh0X3J1bl9hdBgHIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSCW5leHRSdW5BdBIWCgZwYXVzZWQYCCABKAhSBnBh"
        "dXNlZBIZCghhcHBfbmFtZRgJIAEoCVIHYXBwTmFtZRIaCghhY3Rpdml0eRgKIAEoCVIIYWN0aXZpdHkSIgoKbGFzdF9lcnJvchgL"
        "IAEoCUgBUglsYXN0RXJyb3KIAQFCCQoHdHJpZ2dlckINCgtfbGFzdF9lcnJvciqCAgoJUnVuU3RhdHVzEhoKFlJVTl9TVEFUVVNf"
        "VU5TUEVDSUZJRUQQABIWChJSVU5fU1RBVFVTX0RFTEFZRUQQARIVChFSVU5fU1RBVFVTX1FVRVVFRBACEhYKElJVTl9TVEFUVVNf"
        "UlVOTklORxADEhgKFFJVTl9TVEFUVVNfQ09NUExFVEVEEAQSFQoRUlVOX1NUQVRVU19GQUlMRUQQBRIXChNSVU5fU1RBVFVTX0NB"
        "TkNFTEVEEAYSGAoUUlVOX1NUQVRVU19USU1FRF9PVVQQBxIWChJSVU5fU1RBVFVTX0NSQVNIRUQQCBIWChJSVU5fU1RBVFVTX0VY"
        "UElSRUQQCTKZCAoPQWN0aXZpdHlTZXJ2aWNlEmcKElJlZ2lzdGVyQWN0aXZpdGllcxInLmFwcHNlcnZlci52Mi5SZWdpc3RlckFj"
        "dGl2aXRpZXNSZXF1ZXN0GiguYXBwc2VydmVyLnYyLlJlZ2lzdGVyQWN0aXZpdGllc1Jlc3BvbnNlEl4KD1RyaWdnZXJBY3Rpdml0"
        "eRIkLmFwcHNlcnZlci52Mi5UcmlnZ2VyQWN0aXZpdHlSZXF1ZXN0GiUuYXBwc2VydmVyLnYyLlRyaWdnZXJBY3Rpdml0eVJlc3Bv"
        "bnNlEmEKEFNjaGVkdWxlQWN0aXZpdHkSJS5hcHBzZXJ2ZXIudjIuU2NoZWR1bGVBY3Rpdml0eVJlcXVlc3QaJi5hcHBzZXJ2ZXIu"
        "djIuU2NoZWR1bGVBY3Rpdml0eVJlc3BvbnNlEmcKElNldFNjaGVkdWxlRW5hYmxlZBInLmFwcHNlcnZlci52Mi5TZXRTY2hlZHVs"
        "ZUVuYWJsZWRSZXF1ZXN0GiguYXBwc2VydmVyLnYyLlNldFNjaGVkdWxlRW5hYmxlZFJlc3BvbnNlElsKDlJ1blNjaGVkdWxlTm93"
        "EiMuYXBwc2VydmVyLnYyLlJ1blNjaGVkdWxlTm93UmVxdWVzdBokLmFwcHNlcnZlci52Mi5SdW5TY2hlZHVsZU5vd1Jlc3BvbnNl"
        "EkEKBFdvcmsSGS5hcHBzZXJ2ZXIudjIuV29ya1JlcXVlc3QaGi5hcHBzZXJ2ZXIudjIuV29ya1Jlc3BvbnNlKAEwARJMCglDYW5j"
        "ZWxSdW4SHi5hcHBzZXJ2ZXIudjIuQ2FuY2VsUnVuUmVxdWVzdBofLmFwcHNlcnZlci52Mi5DYW5jZWxSdW5SZXNwb25zZRJJCghS"
        "ZXRyeVJ1bhIdLmFwcHNlcnZlci52Mi5SZXRyeVJ1blJlcXVlc3QaHi5hcHBzZXJ2ZXIudjIuUmV0cnlSdW5SZXNwb25zZRJDCgZH"
        "ZXRSdW4SGy5hcHBzZXJ2ZXIudjIuR2V0UnVuUmVxdWVzdBocLmFwcHNlcnZlci52Mi5HZXRSdW5SZXNwb25zZRJJCghMaXN0UnVu"
        "cxIdLmFwcHNlcnZlci52Mi5MaXN0UnVuc1JlcXVlc3QaHi5hcHBzZXJ2ZXIudjIuTGlzdFJ1bnNSZXNwb25zZRJLCghXYXRjaFJ1"
        "bhIdLmFwcHNlcnZlci52Mi5XYXRjaFJ1blJlcXVlc3QaHi5hcHBzZXJ2ZXIudjIuV2F0Y2hSdW5SZXNwb25zZTABElsKDkxpc3RB"
        "Y3Rpdml0aWVzEiMuYXBwc2VydmVyLnYyLkxpc3RBY3Rpdml0aWVzUmVxdWVzdBokLmFwcHNlcnZlci52Mi5MaXN0QWN0aXZpdGll"
        "c1Jlc3BvbnNlYgZwcm90bzM="
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
SetScheduleEnabledRequest = GetMessageClass(_FILE.message_types_by_name["SetScheduleEnabledRequest"])
SetScheduleEnabledResponse = GetMessageClass(_FILE.message_types_by_name["SetScheduleEnabledResponse"])
RunScheduleNowRequest = GetMessageClass(_FILE.message_types_by_name["RunScheduleNowRequest"])
RunScheduleNowResponse = GetMessageClass(_FILE.message_types_by_name["RunScheduleNowResponse"])
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
RetryRunRequest = GetMessageClass(_FILE.message_types_by_name["RetryRunRequest"])
RetryRunResponse = GetMessageClass(_FILE.message_types_by_name["RetryRunResponse"])
GetRunRequest = GetMessageClass(_FILE.message_types_by_name["GetRunRequest"])
GetRunResponse = GetMessageClass(_FILE.message_types_by_name["GetRunResponse"])
ListRunsRequest = GetMessageClass(_FILE.message_types_by_name["ListRunsRequest"])
ListRunsResponse = GetMessageClass(_FILE.message_types_by_name["ListRunsResponse"])
WatchRunRequest = GetMessageClass(_FILE.message_types_by_name["WatchRunRequest"])
WatchRunResponse = GetMessageClass(_FILE.message_types_by_name["WatchRunResponse"])
ListActivitiesRequest = GetMessageClass(_FILE.message_types_by_name["ListActivitiesRequest"])
ListActivitiesResponse = GetMessageClass(_FILE.message_types_by_name["ListActivitiesResponse"])
DeclaredActivity = GetMessageClass(_FILE.message_types_by_name["DeclaredActivity"])
ActivitySchedule = GetMessageClass(_FILE.message_types_by_name["ActivitySchedule"])
ActivityService = _FILE.services_by_name["ActivityService"]
