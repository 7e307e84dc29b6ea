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
        "Z2xlL3Byb3RvYnVmL3RpbWVzdGFtcC5wcm90byLaAgoJSG9va0V2ZW50Eg4KAmlkGAEgASgJUgJpZBIbCglob29rX25hbWUYAiAB"
        "KAlSCGhvb2tOYW1lEh0KCnNvdXJjZV9hcHAYAyABKAlSCXNvdXJjZUFwcBIqCgRkYXRhGAQgASgLMhYuZ29vZ2xlLnByb3RvYnVm"
        "LlZhbHVlUgRkYXRhEj0KDHRyaWdnZXJlZF9hdBgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSC3RyaWdnZXJlZEF0"
        "EhgKB2F0dGVtcHQYBiABKAVSB2F0dGVtcHQSJgoMb3JkZXJpbmdfa2V5GAcgASgJSABSC29yZGVyaW5nS2V5iAEBEiAKC3RyYWNl"
        "cGFyZW50GAggASgJUgt0cmFjZXBhcmVudBIhCgx0cmlnZ2VyZWRfYnkYCSABKAlSC3RyaWdnZXJlZEJ5Qg8KDV9vcmRlcmluZ19r"
        "ZXkirAMKDEhvb2tEZWxpdmVyeRIOCgJpZBgBIAEoCVICaWQSGQoIZXZlbnRfaWQYAiABKAlSB2V2ZW50SWQSGwoJaG9va19uYW1l"
        "GAMgASgJUghob29rTmFtZRIZCghhcHBfbmFtZRgEIAEoCVIHYXBwTmFtZRI0CgZzdGF0dXMYBSABKA4yHC5hcHBzZXJ2ZXIudjIu"
        "RGVsaXZlcnlTdGF0dXNSBnN0YXR1cxIYCgdhdHRlbXB0GAYgASgFUgdhdHRlbXB0EkIKD25leHRfYXR0ZW1wdF9hdBgHIAEoCzIa"
        "Lmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSDW5leHRBdHRlbXB0QXQSFAoFZXJyb3IYCCABKAlSBWVycm9yEjkKCnVwZGF0ZWRf"
        "YXQYCSABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wUgl1cGRhdGVkQXQSGQoIdHJhY2VfaWQYCiABKAlSB3RyYWNlSWQS"
        "OQoIYXR0ZW1wdHMYCyADKAsyHS5hcHBzZXJ2ZXIudjIuRGVsaXZlcnlBdHRlbXB0UghhdHRlbXB0cyKmAQoPRGVsaXZlcnlBdHRl"
        "bXB0EhYKBm51bWJlchgBIAEoBVIGbnVtYmVyEioKAmF0GAIgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcFICYXQSHwoL"
        "ZHVyYXRpb25fbXMYAyABKAVSCmR1cmF0aW9uTXMSGAoHb3V0Y29tZRgEIAEoCVIHb3V0Y29tZRIUCgVlcnJvchgFIAEoCVIFZXJy"
        "b3IijQEKElRyaWdnZXJIb29rUmVxdWVzdBISCgRuYW1lGAEgASgJUgRuYW1lEioKBGRhdGEYAiABKAsyFi5nb29nbGUucHJvdG9i"
        "dWYuVmFsdWVSBGRhdGESJgoMb3JkZXJpbmdfa2V5GAMgASgJSABSC29yZGVyaW5nS2V5iAEBQg8KDV9vcmRlcmluZ19rZXkiUgoT"
        "VHJpZ2dlckhvb2tSZXNwb25zZRIZCghldmVudF9pZBgBIAEoCVIHZXZlbnRJZBIgCgtzdWJzY3JpYmVycxgCIAEoBVILc3Vic2Ny"
        "aWJlcnMigwEKEFN1YnNjcmliZVJlcXVlc3QSNAoFc3RhcnQYASABKAsyHC5hcHBzZXJ2ZXIudjIuU3Vic2NyaWJlU3RhcnRIAFIF"
        "c3RhcnQSLgoDYWNrGAIgASgLMhouYXBwc2VydmVyLnYyLlN1YnNjcmliZUFja0gAUgNhY2tCCQoHbWVzc2FnZSJqCg5TdWJzY3Jp"
        "YmVTdGFydBIdCgpob29rX25hbWVzGAEgAygJUglob29rTmFtZXMSJwoNbWF4X2luX2ZsaWdodBgCIAEoBUgAUgttYXhJbkZsaWdo"
        "dIgBAUIQCg5fbWF4X2luX2ZsaWdodCJaCgxTdWJzY3JpYmVBY2sSGQoIZXZlbnRfaWQYASABKAlSB2V2ZW50SWQSLwoGcmVzdWx0"
        "GAIgASgOMhcuYXBwc2VydmVyLnYyLkFja1Jlc3VsdFIGcmVzdWx0IkIKEVN1YnNjcmliZVJlc3BvbnNlEi0KBWV2ZW50GAEgASgL"
        "MhcuYXBwc2VydmVyLnYyLkhvb2tFdmVudFIFZXZlbnQiygIKFUxpc3REZWxpdmVyaWVzUmVxdWVzdBIgCglob29rX25hbWUYASAB"
        "KAlIAFIIaG9va05hbWWIAQESHgoIYXBwX25hbWUYAiABKAlIAVIHYXBwTmFtZYgBARI5CgZzdGF0dXMYAyABKA4yHC5hcHBzZXJ2"
        "ZXIudjIuRGVsaXZlcnlTdGF0dXNIAlIGc3RhdHVziAEBEiAKCXBhZ2Vfc2l6ZRgEIAEoBUgDUghwYWdlU2l6ZYgBARIiCgpwYWdl"
        "X3Rva2VuGAUgASgJSARSCXBhZ2VUb2tlbogBARIeCghldmVudF9pZBgGIAEoCUgFUgdldmVudElkiAEBQgwKCl9ob29rX25hbWVC"
        "CwoJX2FwcF9uYW1lQgkKB19zdGF0dXNCDAoKX3BhZ2Vfc2l6ZUINCgtfcGFnZV90b2tlbkILCglfZXZlbnRfaWQifAoWTGlzdERl"
        "bGl2ZXJpZXNSZXNwb25zZRI6CgpkZWxpdmVyaWVzGAEgAygLMhouYXBwc2VydmVyLnYyLkhvb2tEZWxpdmVyeVIKZGVsaXZlcmll"
        "cxImCg9uZXh0X3BhZ2VfdG9rZW4YAiABKAlSDW5leHRQYWdlVG9rZW4i0wEKEUxpc3RFdmVudHNSZXF1ZXN0EiAKCWhvb2tfbmFt"
        "ZRgBIAEoCUgAUghob29rTmFtZYgBARIeCghhcHBfbmFtZRgCIAEoCUgBUgdhcHBOYW1liAEBEiAKCXBhZ2Vfc2l6ZRgDIAEoBUgC"
        "UghwYWdlU2l6ZYgBARIiCgpwYWdlX3Rva2VuGAQgASgJSANSCXBhZ2VUb2tlbogBAUIMCgpfaG9va19uYW1lQgsKCV9hcHBfbmFt"
        "ZUIMCgpfcGFnZV9zaXplQg0KC19wYWdlX3Rva2VuIm0KEkxpc3RFdmVudHNSZXNwb25zZRIvCgZldmVudHMYASADKAsyFy5hcHBz"
        "ZXJ2ZXIudjIuSG9va0V2ZW50UgZldmVudHMSJgoPbmV4dF9wYWdlX3Rva2VuGAIgASgJUg1uZXh0UGFnZVRva2VuIiEKD0dldEV2"
        "ZW50UmVxdWVzdBIOCgJpZBgBIAEoCVICaWQiQQoQR2V0RXZlbnRSZXNwb25zZRItCgVldmVudBgBIAEoCzIXLmFwcHNlcnZlci52"
        "Mi5Ib29rRXZlbnRSBWV2ZW50IicKFVJlc2VuZERlbGl2ZXJ5UmVxdWVzdBIOCgJpZBgBIAEoCVICaWQiUAoWUmVzZW5kRGVsaXZl"
        "cnlSZXNwb25zZRI2CghkZWxpdmVyeRgBIAEoCzIaLmFwcHNlcnZlci52Mi5Ib29rRGVsaXZlcnlSCGRlbGl2ZXJ5IpsBChhSZWNv"
        "dmVyRGVsaXZlcmllc1JlcXVlc3QSGwoJaG9va19uYW1lGAEgASgJUghob29rTmFtZRIwCgVzaW5jZRgCIAEoCzIaLmdvb2dsZS5w"
        "cm90b2J1Zi5UaW1lc3RhbXBSBXNpbmNlEjAKBXVudGlsGAMgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcFIFdW50aWwi"
        "OQoZUmVjb3ZlckRlbGl2ZXJpZXNSZXNwb25zZRIcCglyZWNvdmVyZWQYASABKAVSCXJlY292ZXJlZCIWChRHZXRQdXNoU2VjcmV0"
        "UmVxdWVzdCIvChVHZXRQdXNoU2VjcmV0UmVzcG9uc2USFgoGc2VjcmV0GAEgASgJUgZzZWNyZXQq3wEKDkRlbGl2ZXJ5U3RhdHVz"
        "Eh8KG0RFTElWRVJZX1NUQVRVU19VTlNQRUNJRklFRBAAEhsKF0RFTElWRVJZX1NUQVRVU19QRU5ESU5HEAESGwoXREVMSVZFUllf"
        "U1RBVFVTX1NFTkRJTkcQAhIdChlERUxJVkVSWV9TVEFUVVNfREVMSVZFUkVEEAMSHAoYREVMSVZFUllfU1RBVFVTX1JFVFJZSU5H"
        "EAQSGAoUREVMSVZFUllfU1RBVFVTX0RFQUQQBRIbChdERUxJVkVSWV9TVEFUVVNfRFJPUFBFRBAGKmoKCUFja1Jlc3VsdBIaChZB"
        "Q0tfUkVTVUxUX1VOU1BFQ0lGSUVEEAASFgoSQUNLX1JFU1VMVF9TVUNDRVNTEAESFAoQQUNLX1JFU1VMVF9SRVRSWRACEhMKD0FD"
        "S19SRVNVTFRfRFJPUBADMsoFCgxIb29rc1NlcnZpY2USUgoLVHJpZ2dlckhvb2sSIC5hcHBzZXJ2ZXIudjIuVHJpZ2dlckhvb2tS"
        "ZXF1ZXN0GiEuYXBwc2VydmVyLnYyLlRyaWdnZXJIb29rUmVzcG9uc2USUAoJU3Vic2NyaWJlEh4uYXBwc2VydmVyLnYyLlN1YnNj"
        "cmliZVJlcXVlc3QaHy5hcHBzZXJ2ZXIudjIuU3Vic2NyaWJlUmVzcG9uc2UoATABElsKDkxpc3REZWxpdmVyaWVzEiMuYXBwc2Vy"
        "dmVyLnYyLkxpc3REZWxpdmVyaWVzUmVxdWVzdBokLmFwcHNlcnZlci52Mi5MaXN0RGVsaXZlcmllc1Jlc3BvbnNlEk8KCkxpc3RF"
        "dmVudHMSHy5hcHBzZXJ2ZXIudjIuTGlzdEV2ZW50c1JlcXVlc3QaIC5hcHBzZXJ2ZXIudjIuTGlzdEV2ZW50c1Jlc3BvbnNlEkkK"
        "CEdldEV2ZW50Eh0uYXBwc2VydmVyLnYyLkdldEV2ZW50UmVxdWVzdBoeLmFwcHNlcnZlci52Mi5HZXRFdmVudFJlc3BvbnNlElsK"
        "DlJlc2VuZERlbGl2ZXJ5EiMuYXBwc2VydmVyLnYyLlJlc2VuZERlbGl2ZXJ5UmVxdWVzdBokLmFwcHNlcnZlci52Mi5SZXNlbmRE"
        "ZWxpdmVyeVJlc3BvbnNlEmQKEVJlY292ZXJEZWxpdmVyaWVzEiYuYXBwc2VydmVyLnYyLlJlY292ZXJEZWxpdmVyaWVzUmVxdWVz"
        "dBonLmFwcHNlcnZlci52Mi5SZWNvdmVyRGVsaXZlcmllc1Jlc3BvbnNlElgKDUdldFB1c2hTZWNyZXQSIi5hcHBzZXJ2ZXIudjIu"
        "R2V0UHVzaFNlY3JldFJlcXVlc3QaIy5hcHBzZXJ2ZXIudjIuR2V0UHVzaFNlY3JldFJlc3BvbnNlYgZwcm90bzM="
    )
)

DeliveryStatus = EnumTypeWrapper(_FILE.enum_types_by_name["DeliveryStatus"])
AckResult = EnumTypeWrapper(_FILE.enum_types_by_name["AckResult"])
HookEvent = GetMessageClass(_FILE.message_types_by_name["HookEvent"])
HookDelivery = GetMessageClass(_FILE.message_types_by_name["HookDelivery"])
DeliveryAttempt = GetMessageClass(_FILE.message_types_by_name["DeliveryAttempt"])
TriggerHookRequest = GetMessageClass(_FILE.message_types_by_name["TriggerHookRequest"])
TriggerHookResponse = GetMessageClass(_FILE.message_types_by_name["TriggerHookResponse"])
SubscribeRequest = GetMessageClass(_FILE.message_types_by_name["SubscribeRequest"])
SubscribeStart = GetMessageClass(_FILE.message_types_by_name["SubscribeStart"])
SubscribeAck = GetMessageClass(_FILE.message_types_by_name["SubscribeAck"])
SubscribeResponse = GetMessageClass(_FILE.message_types_by_name["SubscribeResponse"])
ListDeliveriesRequest = GetMessageClass(_FILE.message_types_by_name["ListDeliveriesRequest"])
ListDeliveriesResponse = GetMessageClass(_FILE.message_types_by_name["ListDeliveriesResponse"])
ListEventsRequest = GetMessageClass(_FILE.message_types_by_name["ListEventsRequest"])
ListEventsResponse = GetMessageClass(_FILE.message_types_by_name["ListEventsResponse"])
GetEventRequest = GetMessageClass(_FILE.message_types_by_name["GetEventRequest"])
GetEventResponse = GetMessageClass(_FILE.message_types_by_name["GetEventResponse"])
ResendDeliveryRequest = GetMessageClass(_FILE.message_types_by_name["ResendDeliveryRequest"])
ResendDeliveryResponse = GetMessageClass(_FILE.message_types_by_name["ResendDeliveryResponse"])
RecoverDeliveriesRequest = GetMessageClass(_FILE.message_types_by_name["RecoverDeliveriesRequest"])
RecoverDeliveriesResponse = GetMessageClass(_FILE.message_types_by_name["RecoverDeliveriesResponse"])
GetPushSecretRequest = GetMessageClass(_FILE.message_types_by_name["GetPushSecretRequest"])
GetPushSecretResponse = GetMessageClass(_FILE.message_types_by_name["GetPushSecretResponse"])
HooksService = _FILE.services_by_name["HooksService"]
