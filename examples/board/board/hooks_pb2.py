"""Generated from contracts/proto/appserver/v2/hooks.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

# Their messages are used by this file's.
from google.protobuf import descriptor_pool, struct_pb2, timestamp_pb2  # noqa: F401
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChhhcHBzZXJ2ZXIvdjIvaG9va3MucHJvdG8SDGFwcHNlcnZlci52MhocZ29vZ2xlL3Byb3RvYnVmL3N0cnVjdC5wcm90bxofZ29v"
        "Z2xlL3Byb3RvYnVmL3RpbWVzdGFtcC5wcm90byK3AgoJSG9va0V2ZW50Eg4KAmlkGAEgASgJUgJpZBIbCglob29rX25hbWUYAiAB"
        "KAlSCGhvb2tOYW1lEh0KCnNvdXJjZV9hcHAYAyABKAlSCXNvdXJjZUFwcBIqCgRkYXRhGAQgASgLMhYuZ29vZ2xlLnByb3RvYnVm"
        "LlZhbHVlUgRkYXRhEj0KDHRyaWdnZXJlZF9hdBgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSC3RyaWdnZXJlZEF0"
        "EhgKB2F0dGVtcHQYBiABKAVSB2F0dGVtcHQSJgoMb3JkZXJpbmdfa2V5GAcgASgJSABSC29yZGVyaW5nS2V5iAEBEiAKC3RyYWNl"
        "cGFyZW50GAggASgJUgt0cmFjZXBhcmVudEIPCg1fb3JkZXJpbmdfa2V5ItYCCgxIb29rRGVsaXZlcnkSDgoCaWQYASABKAlSAmlk"
        "EhkKCGV2ZW50X2lkGAIgASgJUgdldmVudElkEhsKCWhvb2tfbmFtZRgDIAEoCVIIaG9va05hbWUSGQoIYXBwX25hbWUYBCABKAlS"
        "B2FwcE5hbWUSNAoGc3RhdHVzGAUgASgOMhwuYXBwc2VydmVyLnYyLkRlbGl2ZXJ5U3RhdHVzUgZzdGF0dXMSGAoHYXR0ZW1wdBgG"
        "IAEoBVIHYXR0ZW1wdBJCCg9uZXh0X2F0dGVtcHRfYXQYByABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wUg1uZXh0QXR0"
        "ZW1wdEF0EhQKBWVycm9yGAggASgJUgVlcnJvchI5Cgp1cGRhdGVkX2F0GAkgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFt"
        "cFIJdXBkYXRlZEF0Io0BChJUcmlnZ2VySG9va1JlcXVlc3QSEgoEbmFtZRgBIAEoCVIEbmFtZRIqCgRkYXRhGAIgASgLMhYuZ29v"
        "Z2xlLnByb3RvYnVmLlZhbHVlUgRkYXRhEiYKDG9yZGVyaW5nX2tleRgDIAEoCUgAUgtvcmRlcmluZ0tleYgBAUIPCg1fb3JkZXJp"
        "bmdfa2V5IlIKE1RyaWdnZXJIb29rUmVzcG9uc2USGQoIZXZlbnRfaWQYASABKAlSB2V2ZW50SWQSIAoLc3Vic2NyaWJlcnMYAiAB"
        "KAVSC3N1YnNjcmliZXJzIoMBChBTdWJzY3JpYmVSZXF1ZXN0EjQKBXN0YXJ0GAEgASgLMhwuYXBwc2VydmVyLnYyLlN1YnNjcmli"
        "ZVN0YXJ0SABSBXN0YXJ0Ei4KA2FjaxgCIAEoCzIaLmFwcHNlcnZlci52Mi5TdWJzY3JpYmVBY2tIAFIDYWNrQgkKB21lc3NhZ2Ui"
        "agoOU3Vic2NyaWJlU3RhcnQSHQoKaG9va19uYW1lcxgBIAMoCVIJaG9va05hbWVzEicKDW1heF9pbl9mbGlnaHQYAiABKAVIAFIL"
        "bWF4SW5GbGlnaHSIAQFCEAoOX21heF9pbl9mbGlnaHQiWgoMU3Vic2NyaWJlQWNrEhkKCGV2ZW50X2lkGAEgASgJUgdldmVudElk"
        "Ei8KBnJlc3VsdBgCIAEoDjIXLmFwcHNlcnZlci52Mi5BY2tSZXN1bHRSBnJlc3VsdCJCChFTdWJzY3JpYmVSZXNwb25zZRItCgVl"
        "dmVudBgBIAEoCzIXLmFwcHNlcnZlci52Mi5Ib29rRXZlbnRSBWV2ZW50Ip0CChVMaXN0RGVsaXZlcmllc1JlcXVlc3QSIAoJaG9v"
        "a19uYW1lGAEgASgJSABSCGhvb2tOYW1liAEBEh4KCGFwcF9uYW1lGAIgASgJSAFSB2FwcE5hbWWIAQESOQoGc3RhdHVzGAMgASgO"
        "MhwuYXBwc2VydmVyLnYyLkRlbGl2ZXJ5U3RhdHVzSAJSBnN0YXR1c4gBARIgCglwYWdlX3NpemUYBCABKAVIA1IIcGFnZVNpemWI"
        "AQESIgoKcGFnZV90b2tlbhgFIAEoCUgEUglwYWdlVG9rZW6IAQFCDAoKX2hvb2tfbmFtZUILCglfYXBwX25hbWVCCQoHX3N0YXR1"
        "c0IMCgpfcGFnZV9zaXplQg0KC19wYWdlX3Rva2VuInwKFkxpc3REZWxpdmVyaWVzUmVzcG9uc2USOgoKZGVsaXZlcmllcxgBIAMo"
        "CzIaLmFwcHNlcnZlci52Mi5Ib29rRGVsaXZlcnlSCmRlbGl2ZXJpZXMSJgoPbmV4dF9wYWdlX3Rva2VuGAIgASgJUg1uZXh0UGFn"
        "ZVRva2VuIicKFVJlc2VuZERlbGl2ZXJ5UmVxdWVzdBIOCgJpZBgBIAEoCVICaWQiUAoWUmVzZW5kRGVsaXZlcnlSZXNwb25zZRI2"
        "CghkZWxpdmVyeRgBIAEoCzIaLmFwcHNlcnZlci52Mi5Ib29rRGVsaXZlcnlSCGRlbGl2ZXJ5IpsBChhSZWNvdmVyRGVsaXZlcmll"
        "c1JlcXVlc3QSGwoJaG9va19uYW1lGAEgASgJUghob29rTmFtZRIwCgVzaW5jZRgCIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1l"
        "c3RhbXBSBXNpbmNlEjAKBXVudGlsGAMgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcFIFdW50aWwiOQoZUmVjb3ZlckRl"
        "bGl2ZXJpZXNSZXNwb25zZRIcCglyZWNvdmVyZWQYASABKAVSCXJlY292ZXJlZCIWChRHZXRQdXNoU2VjcmV0UmVxdWVzdCIvChVH"
        "ZXRQdXNoU2VjcmV0UmVzcG9uc2USFgoGc2VjcmV0GAEgASgJUgZzZWNyZXQq3wEKDkRlbGl2ZXJ5U3RhdHVzEh8KG0RFTElWRVJZ"
        "X1NUQVRVU19VTlNQRUNJRklFRBAAEhsKF0RFTElWRVJZX1NUQVRVU19QRU5ESU5HEAESGwoXREVMSVZFUllfU1RBVFVTX1NFTkRJ"
        "TkcQAhIdChlERUxJVkVSWV9TVEFUVVNfREVMSVZFUkVEEAMSHAoYREVMSVZFUllfU1RBVFVTX1JFVFJZSU5HEAQSGAoUREVMSVZF"
        "UllfU1RBVFVTX0RFQUQQBRIbChdERUxJVkVSWV9TVEFUVVNfRFJPUFBFRBAGKmoKCUFja1Jlc3VsdBIaChZBQ0tfUkVTVUxUX1VO"
        "U1BFQ0lGSUVEEAASFgoSQUNLX1JFU1VMVF9TVUNDRVNTEAESFAoQQUNLX1JFU1VMVF9SRVRSWRACEhMKD0FDS19SRVNVTFRfRFJP"
        "UBADMq4ECgxIb29rc1NlcnZpY2USUgoLVHJpZ2dlckhvb2sSIC5hcHBzZXJ2ZXIudjIuVHJpZ2dlckhvb2tSZXF1ZXN0GiEuYXBw"
        "c2VydmVyLnYyLlRyaWdnZXJIb29rUmVzcG9uc2USUAoJU3Vic2NyaWJlEh4uYXBwc2VydmVyLnYyLlN1YnNjcmliZVJlcXVlc3Qa"
        "Hy5hcHBzZXJ2ZXIudjIuU3Vic2NyaWJlUmVzcG9uc2UoATABElsKDkxpc3REZWxpdmVyaWVzEiMuYXBwc2VydmVyLnYyLkxpc3RE"
        "ZWxpdmVyaWVzUmVxdWVzdBokLmFwcHNlcnZlci52Mi5MaXN0RGVsaXZlcmllc1Jlc3BvbnNlElsKDlJlc2VuZERlbGl2ZXJ5EiMu"
        "YXBwc2VydmVyLnYyLlJlc2VuZERlbGl2ZXJ5UmVxdWVzdBokLmFwcHNlcnZlci52Mi5SZXNlbmREZWxpdmVyeVJlc3BvbnNlEmQK"
        "EVJlY292ZXJEZWxpdmVyaWVzEiYuYXBwc2VydmVyLnYyLlJlY292ZXJEZWxpdmVyaWVzUmVxdWVzdBonLmFwcHNlcnZlci52Mi5S"
        "ZWNvdmVyRGVsaXZlcmllc1Jlc3BvbnNlElgKDUdldFB1c2hTZWNyZXQSIi5hcHBzZXJ2ZXIudjIuR2V0UHVzaFNlY3JldFJlcXVl"
        "c3QaIy5hcHBzZXJ2ZXIudjIuR2V0UHVzaFNlY3JldFJlc3BvbnNlYgZwcm90bzM="
    )
)

AckResult = EnumTypeWrapper(_FILE.enum_types_by_name["AckResult"])
HookEvent = GetMessageClass(_FILE.message_types_by_name["HookEvent"])
SubscribeRequest = GetMessageClass(_FILE.message_types_by_name["SubscribeRequest"])
SubscribeResponse = GetMessageClass(_FILE.message_types_by_name["SubscribeResponse"])
