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
        "ZHVsZRgBIAEoCzIeLmFwcHNlcnZlci52Mi5BY3Rpdml0eVNjaGVkdWxlUghzY2hlZHVsZSInChVEZWxldGVTY2hlZHVsZVJlcXVl"
        "c3QSDgoCaWQYASABKAlSAmlkIlQKFkRlbGV0ZVNjaGVkdWxlUmVzcG9uc2USOgoIc2NoZWR1bGUYASABKAsyHi5hcHBzZXJ2ZXIu"
        "djIuQWN0aXZpdHlTY2hlZHVsZVIIc2NoZWR1bGUiJwoVUnVuU2NoZWR1bGVOb3dSZXF1ZXN0Eg4KAmlkGAEgASgJUgJpZCJFChZS"
        "dW5TY2hlZHVsZU5vd1Jlc3BvbnNlEisKA3J1bhgBIAEoCzIZLmFwcHNlcnZlci52Mi5BY3Rpdml0eVJ1blIDcnVuIvQBCgtXb3Jr"
        "UmVxdWVzdBIvCgVyZWFkeRgBIAEoCzIXLmFwcHNlcnZlci52Mi5Xb3JrUmVhZHlIAFIFcmVhZHkSOwoJaGVhcnRiZWF0GAIgASgL"
        "MhsuYXBwc2VydmVyLnYyLldvcmtIZWFydGJlYXRIAFIJaGVhcnRiZWF0EjgKCHByb2dyZXNzGAMgASgLMhouYXBwc2VydmVyLnYy"
        "LldvcmtQcm9ncmVzc0gAUghwcm9ncmVzcxIyCgZyZXN1bHQYBCABKAsyGC5hcHBzZXJ2ZXIudjIuV29ya1Jlc3VsdEgAUgZyZXN1"
        "bHRCCQoHbWVzc2FnZSJvCglXb3JrUmVhZHkSHgoKYWN0aXZpdGllcxgBIAMoCVIKYWN0aXZpdGllcxIUCgVzbG90cxgCIAEoBVIF"
        "c2xvdHMSHwoIY2FwYWNpdHkYAyABKAVIAFIIY2FwYWNpdHmIAQFCCwoJX2NhcGFjaXR5IlEKDVdvcmtIZWFydGJlYXQSFQoGcnVu"
        "X2lkGAEgASgJUgVydW5JZBIdCgdhdHRlbXB0GAIgASgFSABSB2F0dGVtcHSIAQFCCgoIX2F0dGVtcHQiggEKDFdvcmtQcm9ncmVz"
        "cxIVCgZydW5faWQYASABKAlSBXJ1bklkEhoKCHByb2dyZXNzGAIgASgBUghwcm9ncmVzcxIUCgVzdGFnZRgDIAEoCVIFc3RhZ2US"
        "HQoHYXR0ZW1wdBgEIAEoBUgAUgdhdHRlbXB0iAEBQgoKCF9hdHRlbXB0ItgBCgpXb3JrUmVzdWx0EhUKBnJ1bl9pZBgBIAEoCVIF"
        "cnVuSWQSMAoGb3V0cHV0GAIgASgLMhYuZ29vZ2xlLnByb3RvYnVmLlZhbHVlSABSBm91dHB1dBItCgVlcnJvchgDIAEoCzIVLmFw"
        "cHNlcnZlci52Mi5Qcm9ibGVtSABSBWVycm9yEhwKCGNhbmNlbGVkGAQgASgISABSCGNhbmNlbGVkEh0KB2F0dGVtcHQYBSABKAVI"
        "AVIHYXR0ZW1wdIgBAUIJCgdvdXRjb21lQgoKCF9hdHRlbXB0IrkBCgxXb3JrUmVzcG9uc2USMwoGYXNzaWduGAEgASgLMhkuYXBw"
        "c2VydmVyLnYyLkFjdGl2aXR5UnVuSABSBmFzc2lnbhIyCgZjYW5jZWwYAiABKAsyGC5hcHBzZXJ2ZXIudjIuV29ya0NhbmNlbEgA"
        "UgZjYW5jZWwSNQoHc2V0dGxlZBgDIAEoCzIZLmFwcHNlcnZlci52Mi5Xb3JrU2V0dGxlZEgAUgdzZXR0bGVkQgkKB21lc3NhZ2Ui"
        "cQoLV29ya1NldHRsZWQSFQoGcnVuX2lkGAEgASgJUgVydW5JZBIaCghhY2NlcHRlZBgCIAEoCFIIYWNjZXB0ZWQSLwoHcHJvYmxl"
        "bRgDIAEoCzIVLmFwcHNlcnZlci52Mi5Qcm9ibGVtUgdwcm9ibGVtIiMKCldvcmtDYW5jZWwSFQoGcnVuX2lkGAEgASgJUgVydW5J"
        "ZCIiChBDYW5jZWxSdW5SZXF1ZXN0Eg4KAmlkGAEgASgJUgJpZCJAChFDYW5jZWxSdW5SZXNwb25zZRIrCgNydW4YASABKAsyGS5h"
        "cHBzZXJ2ZXIudjIuQWN0aXZpdHlSdW5SA3J1biIhCg9SZXRyeVJ1blJlcXVlc3QSDgoCaWQYASABKAlSAmlkIj8KEFJldHJ5UnVu"
        "UmVzcG9uc2USKwoDcnVuGAEgASgLMhkuYXBwc2VydmVyLnYyLkFjdGl2aXR5UnVuUgNydW4iHwoNR2V0UnVuUmVxdWVzdBIOCgJp"
        "ZBgBIAEoCVICaWQiPQoOR2V0UnVuUmVzcG9uc2USKwoDcnVuGAEgASgLMhkuYXBwc2VydmVyLnYyLkFjdGl2aXR5UnVuUgNydW4i"
        "4gEKD0xpc3RSdW5zUmVxdWVzdBIeCghhcHBfbmFtZRgBIAEoCUgAUgdhcHBOYW1liAEBEjQKBnN0YXR1cxgCIAEoDjIXLmFwcHNl"
        "cnZlci52Mi5SdW5TdGF0dXNIAVIGc3RhdHVziAEBEiAKCXBhZ2Vfc2l6ZRgDIAEoBUgCUghwYWdlU2l6ZYgBARIiCgpwYWdlX3Rv"
        "a2VuGAQgASgJSANSCXBhZ2VUb2tlbogBAUILCglfYXBwX25hbWVCCQoHX3N0YXR1c0IMCgpfcGFnZV9zaXplQg0KC19wYWdlX3Rv"
        "a2VuImkKEExpc3RSdW5zUmVzcG9uc2USLQoEcnVucxgBIAMoCzIZLmFwcHNlcnZlci52Mi5BY3Rpdml0eVJ1blIEcnVucxImCg9u"
        "ZXh0X3BhZ2VfdG9rZW4YAiABKAlSDW5leHRQYWdlVG9rZW4iIQoPV2F0Y2hSdW5SZXF1ZXN0Eg4KAmlkGAEgASgJUgJpZCI/ChBX"
        "YXRjaFJ1blJlc3BvbnNlEisKA3J1bhgBIAEoCzIZLmFwcHNlcnZlci52Mi5BY3Rpdml0eVJ1blIDcnVuIkQKFUxpc3RBY3Rpdml0"
        "aWVzUmVxdWVzdBIeCghhcHBfbmFtZRgBIAEoCUgAUgdhcHBOYW1liAEBQgsKCV9hcHBfbmFtZSJYChZMaXN0QWN0aXZpdGllc1Jl"
        "c3BvbnNlEj4KCmFjdGl2aXRpZXMYASADKAsyHi5hcHBzZXJ2ZXIudjIuRGVjbGFyZWRBY3Rpdml0eVIKYWN0aXZpdGllcyKtAQoQ"
        "RGVjbGFyZWRBY3Rpdml0eRIZCghhcHBfbmFtZRgBIAEoCVIHYXBwTmFtZRJACgpkZWZpbml0aW9uGAIgASgLMiAuYXBwc2VydmVy"
        "LnYyLkFjdGl2aXR5RGVmaW5pdGlvblIKZGVmaW5pdGlvbhI8CglzY2hlZHVsZXMYAyADKAsyHi5hcHBzZXJ2ZXIudjIuQWN0aXZp"
        "dHlTY2hlZHVsZVIJc2NoZWR1bGVzIvYCChBBY3Rpdml0eVNjaGVkdWxlEg4KAmlkGAEgASgJUgJpZBIQCgNrZXkYAiABKAlSA2tl"
        "eRIUCgRjcm9uGAMgASgJSABSBGNyb24SKwoQaW50ZXJ2YWxfc2Vjb25kcxgEIAEoBUgAUg9pbnRlcnZhbFNlY29uZHMSGgoIdGlt"
        "ZXpvbmUYBSABKAlSCHRpbWV6b25lEhgKB2VuYWJsZWQYBiABKAhSB2VuYWJsZWQSOgoLbmV4dF9ydW5fYXQYByABKAsyGi5nb29n"
        "bGUucHJvdG9idWYuVGltZXN0YW1wUgluZXh0UnVuQXQSFgoGcGF1c2VkGAggASgIUgZwYXVzZWQSGQoIYXBwX25hbWUYCSABKAlS"
        "B2FwcE5hbWUSGgoIYWN0aXZpdHkYCiABKAlSCGFjdGl2aXR5EiIKCmxhc3RfZXJyb3IYCyABKAlIAVIJbGFzdEVycm9yiAEBQgkK"
        "B3RyaWdnZXJCDQoLX2xhc3RfZXJyb3IqggIKCVJ1blN0YXR1cxIaChZSVU5fU1RBVFVTX1VOU1BFQ0lGSUVEEAASFgoSUlVOX1NU"
        "QVRVU19ERUxBWUVEEAESFQoRUlVOX1NUQVRVU19RVUVVRUQQAhIWChJSVU5fU1RBVFVTX1JVTk5JTkcQAxIYChRSVU5fU1RBVFVT"
        "X0NPTVBMRVRFRBAEEhUKEVJVTl9TVEFUVVNfRkFJTEVEEAUSFwoTUlVOX1NUQVRVU19DQU5DRUxFRBAGEhgKFFJVTl9TVEFUVVNf"
        "VElNRURfT1VUEAcSFgoSUlVOX1NUQVRVU19DUkFTSEVEEAgSFgoSUlVOX1NUQVRVU19FWFBJUkVEEAky9ggKD0FjdGl2aXR5U2Vy"
        "dmljZRJnChJSZWdpc3RlckFjdGl2aXRpZXMSJy5hcHBzZXJ2ZXIudjIuUmVnaXN0ZXJBY3Rpdml0aWVzUmVxdWVzdBooLmFwcHNl"
        "cnZlci52Mi5SZWdpc3RlckFjdGl2aXRpZXNSZXNwb25zZRJeCg9UcmlnZ2VyQWN0aXZpdHkSJC5hcHBzZXJ2ZXIudjIuVHJpZ2dl"
        "ckFjdGl2aXR5UmVxdWVzdBolLmFwcHNlcnZlci52Mi5UcmlnZ2VyQWN0aXZpdHlSZXNwb25zZRJhChBTY2hlZHVsZUFjdGl2aXR5"
        "EiUuYXBwc2VydmVyLnYyLlNjaGVkdWxlQWN0aXZpdHlSZXF1ZXN0GiYuYXBwc2VydmVyLnYyLlNjaGVkdWxlQWN0aXZpdHlSZXNw"
        "b25zZRJnChJTZXRTY2hlZHVsZUVuYWJsZWQSJy5hcHBzZXJ2ZXIudjIuU2V0U2NoZWR1bGVFbmFibGVkUmVxdWVzdBooLmFwcHNl"
        "cnZlci52Mi5TZXRTY2hlZHVsZUVuYWJsZWRSZXNwb25zZRJbCg5EZWxldGVTY2hlZHVsZRIjLmFwcHNlcnZlci52Mi5EZWxldGVT"
        "Y2hlZHVsZVJlcXVlc3QaJC5hcHBzZXJ2ZXIudjIuRGVsZXRlU2NoZWR1bGVSZXNwb25zZRJbCg5SdW5TY2hlZHVsZU5vdxIjLmFw"
        "cHNlcnZlci52Mi5SdW5TY2hlZHVsZU5vd1JlcXVlc3QaJC5hcHBzZXJ2ZXIudjIuUnVuU2NoZWR1bGVOb3dSZXNwb25zZRJBCgRX"
        "b3JrEhkuYXBwc2VydmVyLnYyLldvcmtSZXF1ZXN0GhouYXBwc2VydmVyLnYyLldvcmtSZXNwb25zZSgBMAESTAoJQ2FuY2VsUnVu"
        "Eh4uYXBwc2VydmVyLnYyLkNhbmNlbFJ1blJlcXVlc3QaHy5hcHBzZXJ2ZXIudjIuQ2FuY2VsUnVuUmVzcG9uc2USSQoIUmV0cnlS"
        "dW4SHS5hcHBzZXJ2ZXIudjIuUmV0cnlSdW5SZXF1ZXN0Gh4uYXBwc2VydmVyLnYyLlJldHJ5UnVuUmVzcG9uc2USQwoGR2V0UnVu"
        "EhsuYXBwc2VydmVyLnYyLkdldFJ1blJlcXVlc3QaHC5hcHBzZXJ2ZXIudjIuR2V0UnVuUmVzcG9uc2USSQoITGlzdFJ1bnMSHS5h"
        "cHBzZXJ2ZXIudjIuTGlzdFJ1bnNSZXF1ZXN0Gh4uYXBwc2VydmVyLnYyLkxpc3RSdW5zUmVzcG9uc2USSwoIV2F0Y2hSdW4SHS5h"
        "cHBzZXJ2ZXIudjIuV2F0Y2hSdW5SZXF1ZXN0Gh4uYXBwc2VydmVyLnYyLldhdGNoUnVuUmVzcG9uc2UwARJbCg5MaXN0QWN0aXZp"
        "dGllcxIjLmFwcHNlcnZlci52Mi5MaXN0QWN0aXZpdGllc1JlcXVlc3QaJC5hcHBzZXJ2ZXIudjIuTGlzdEFjdGl2aXRpZXNSZXNw"
        "b25zZWIGcHJvdG8z"
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
DeleteScheduleRequest = GetMessageClass(_FILE.message_types_by_name["DeleteScheduleRequest"])
DeleteScheduleResponse = GetMessageClass(_FILE.message_types_by_name["DeleteScheduleResponse"])
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
