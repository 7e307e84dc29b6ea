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
        "cGFyZW50GAggASgJUgt0cmFjZXBhcmVudEIPCg1fb3JkZXJpbmdfa2V5IvECCgxIb29rRGVsaXZlcnkSDgoCaWQYASABKAlSAmlk"
        "EhkKCGV2ZW50X2lkGAIgASgJUgdldmVudElkEhsKCWhvb2tfbmFtZRgDIAEoCVIIaG9va05hbWUSGQoIYXBwX25hbWUYBCABKAlS"
        "B2FwcE5hbWUSNAoGc3RhdHVzGAUgASgOMhwuYXBwc2VydmVyLnYyLkRlbGl2ZXJ5U3RhdHVzUgZzdGF0dXMSGAoHYXR0ZW1wdBgG"
        "IAEoBVIHYXR0ZW1wdBJCCg9uZXh0X2F0dGVtcHRfYXQYByABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wUg1uZXh0QXR0"
        "ZW1wdEF0EhQKBWVycm9yGAggASgJUgVlcnJvchI5Cgp1cGRhdGVkX2F0GAkgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFt"
        "cFIJdXBkYXRlZEF0EhkKCHRyYWNlX2lkGAogASgJUgd0cmFjZUlkIo0BChJUcmlnZ2VySG9va1JlcXVlc3QSEgoEbmFtZRgBIAEo"
        "CVIEbmFtZRIqCgRkYXRhGAIgASgLMhYuZ29vZ2xlLnByb3RvYnVmLlZhbHVlUgRkYXRhEiYKDG9yZGVyaW5nX2tleRgDIAEoCUgA"
        "UgtvcmRlcmluZ0tleYgBAUIPCg1fb3JkZXJpbmdfa2V5IlIKE1RyaWdnZXJIb29rUmVzcG9uc2USGQoIZXZlbnRfaWQYASABKAlS"
        "B2V2ZW50SWQSIAoLc3Vic2NyaWJlcnMYAiABKAVSC3N1YnNjcmliZXJzIoMBChBTdWJzY3JpYmVSZXF1ZXN0EjQKBXN0YXJ0GAEg"
        "ASgLMhwuYXBwc2VydmVyLnYyLlN1YnNjcmliZVN0YXJ0SABSBXN0YXJ0Ei4KA2FjaxgCIAEoCzIaLmFwcHNlcnZlci52Mi5TdWJz"
        "Y3JpYmVBY2tIAFIDYWNrQgkKB21lc3NhZ2UiagoOU3Vic2NyaWJlU3RhcnQSHQoKaG9va19uYW1lcxgBIAMoCVIJaG9va05hbWVz"
        "EicKDW1heF9pbl9mbGlnaHQYAiABKAVIAFILbWF4SW5GbGlnaHSIAQFCEAoOX21heF9pbl9mbGlnaHQiWgoMU3Vic2NyaWJlQWNr"
        "EhkKCGV2ZW50X2lkGAEgASgJUgdldmVudElkEi8KBnJlc3VsdBgCIAEoDjIXLmFwcHNlcnZlci52Mi5BY2tSZXN1bHRSBnJlc3Vs"
        "dCJCChFTdWJzY3JpYmVSZXNwb25zZRItCgVldmVudBgBIAEoCzIXLmFwcHNlcnZlci52Mi5Ib29rRXZlbnRSBWV2ZW50Ip0CChVM"
        "aXN0RGVsaXZlcmllc1JlcXVlc3QSIAoJaG9va19uYW1lGAEgASgJSABSCGhvb2tOYW1liAEBEh4KCGFwcF9uYW1lGAIgASgJSAFS"
        "B2FwcE5hbWWIAQESOQoGc3RhdHVzGAMgASgOMhwuYXBwc2VydmVyLnYyLkRlbGl2ZXJ5U3RhdHVzSAJSBnN0YXR1c4gBARIgCglw"
        "YWdlX3NpemUYBCABKAVIA1IIcGFnZVNpemWIAQESIgoKcGFnZV90b2tlbhgFIAEoCUgEUglwYWdlVG9rZW6IAQFCDAoKX2hvb2tf"
        "bmFtZUILCglfYXBwX25hbWVCCQoHX3N0YXR1c0IMCgpfcGFnZV9zaXplQg0KC19wYWdlX3Rva2VuInwKFkxpc3REZWxpdmVyaWVz"
        "UmVzcG9uc2USOgoKZGVsaXZlcmllcxgBIAMoCzIaLmFwcHNlcnZlci52Mi5Ib29rRGVsaXZlcnlSCmRlbGl2ZXJpZXMSJgoPbmV4"
        "dF9wYWdlX3Rva2VuGAIgASgJUg1uZXh0UGFnZVRva2VuIicKFVJlc2VuZERlbGl2ZXJ5UmVxdWVzdBIOCgJpZBgBIAEoCVICaWQi"
        "UAoWUmVzZW5kRGVsaXZlcnlSZXNwb25zZRI2CghkZWxpdmVyeRgBIAEoCzIaLmFwcHNlcnZlci52Mi5Ib29rRGVsaXZlcnlSCGRl"
        "bGl2ZXJ5IpsBChhSZWNvdmVyRGVsaXZlcmllc1JlcXVlc3QSGwoJaG9va19uYW1lGAEgASgJUghob29rTmFtZRIwCgVzaW5jZRgC"
        "IAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSBXNpbmNlEjAKBXVudGlsGAMgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRp"
        "bWVzdGFtcFIFdW50aWwiOQoZUmVjb3ZlckRlbGl2ZXJpZXNSZXNwb25zZRIcCglyZWNvdmVyZWQYASABKAVSCXJlY292ZXJlZCIW"
        "ChRHZXRQdXNoU2VjcmV0UmVxdWVzdCIvChVHZXRQdXNoU2VjcmV0UmVzcG9uc2USFgoGc2VjcmV0GAEgASgJUgZzZWNyZXQq3wEK"
        "DkRlbGl2ZXJ5U3RhdHVzEh8KG0RFTElWRVJZX1NUQVRVU19VTlNQRUNJRklFRBAAEhsKF0RFTElWRVJZX1NUQVRVU19QRU5ESU5H"
        "EAESGwoXREVMSVZFUllfU1RBVFVTX1NFTkRJTkcQAhIdChlERUxJVkVSWV9TVEFUVVNfREVMSVZFUkVEEAMSHAoYREVMSVZFUllf"
        "U1RBVFVTX1JFVFJZSU5HEAQSGAoUREVMSVZFUllfU1RBVFVTX0RFQUQQBRIbChdERUxJVkVSWV9TVEFUVVNfRFJPUFBFRBAGKmoK"
        "CUFja1Jlc3VsdBIaChZBQ0tfUkVTVUxUX1VOU1BFQ0lGSUVEEAASFgoSQUNLX1JFU1VMVF9TVUNDRVNTEAESFAoQQUNLX1JFU1VM"
        "VF9SRVRSWRACEhMKD0FDS19SRVNVTFRfRFJPUBADMq4ECgxIb29rc1NlcnZpY2USUgoLVHJpZ2dlckhvb2sSIC5hcHBzZXJ2ZXIu"
        "djIuVHJpZ2dlckhvb2tSZXF1ZXN0GiEuYXBwc2VydmVyLnYyLlRyaWdnZXJIb29rUmVzcG9uc2USUAoJU3Vic2NyaWJlEh4uYXBw"
        "c2VydmVyLnYyLlN1YnNjcmliZVJlcXVlc3QaHy5hcHBzZXJ2ZXIudjIuU3Vic2NyaWJlUmVzcG9uc2UoATABElsKDkxpc3REZWxp"
        "dmVyaWVzEiMuYXBwc2VydmVyLnYyLkxpc3REZWxpdmVyaWVzUmVxdWVzdBokLmFwcHNlcnZlci52Mi5MaXN0RGVsaXZlcmllc1Jl"
        "c3BvbnNlElsKDlJlc2VuZERlbGl2ZXJ5EiMuYXBwc2VydmVyLnYyLlJlc2VuZERlbGl2ZXJ5UmVxdWVzdBokLmFwcHNlcnZlci52"
        "Mi5SZXNlbmREZWxpdmVyeVJlc3BvbnNlEmQKEVJlY292ZXJEZWxpdmVyaWVzEiYuYXBwc2VydmVyLnYyLlJlY292ZXJEZWxpdmVy"
        "aWVzUmVxdWVzdBonLmFwcHNlcnZlci52Mi5SZWNvdmVyRGVsaXZlcmllc1Jlc3BvbnNlElgKDUdldFB1c2hTZWNyZXQSIi5hcHBz"
        "ZXJ2ZXIudjIuR2V0UHVzaFNlY3JldFJlcXVlc3QaIy5hcHBzZXJ2ZXIudjIuR2V0UHVzaFNlY3JldFJlc3BvbnNlYgZwcm90bzM="
    )
)

AckResult = EnumTypeWrapper(_FILE.enum_types_by_name["AckResult"])
HookEvent = GetMessageClass(_FILE.message_types_by_name["HookEvent"])
SubscribeRequest = GetMessageClass(_FILE.message_types_by_name["SubscribeRequest"])
SubscribeResponse = GetMessageClass(_FILE.message_types_by_name["SubscribeResponse"])
