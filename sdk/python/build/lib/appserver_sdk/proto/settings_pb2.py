"""Generated from contracts/proto/appserver/v2/settings.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

from google.protobuf import descriptor_pool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

# Their messages are used by this file's.
from google.protobuf import struct_pb2, timestamp_pb2  # noqa: F401

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChthcHBzZXJ2ZXIvdjIvc2V0dGluZ3MucHJvdG8SDGFwcHNlcnZlci52MhocZ29vZ2xlL3Byb3RvYnVmL3N0cnVjdC5wcm90bxof"
        "Z29vZ2xlL3Byb3RvYnVmL3RpbWVzdGFtcC5wcm90byJTCg5TZXR0aW5nc1NjaGVtYRJBCgtkZWZpbml0aW9ucxgBIAMoCzIfLmFw"
        "cHNlcnZlci52Mi5TZXR0aW5nRGVmaW5pdGlvblILZGVmaW5pdGlvbnMiiQMKEVNldHRpbmdEZWZpbml0aW9uEhAKA2tleRgBIAEo"
        "CVIDa2V5EjoKCWRhdGFfdHlwZRgCIAEoDjIdLmFwcHNlcnZlci52Mi5TZXR0aW5nRGF0YVR5cGVSCGRhdGFUeXBlEhoKCHJlcXVp"
        "cmVkGAMgASgIUghyZXF1aXJlZBIoCg1kZWZhdWx0X3ZhbHVlGAQgASgJSABSDGRlZmF1bHRWYWx1ZYgBARI9Cgp2YWxpZGF0aW9u"
        "GAUgASgLMh0uYXBwc2VydmVyLnYyLlZhbGlkYXRpb25SdWxlc1IKdmFsaWRhdGlvbhIgCgtkZXNjcmlwdGlvbhgGIAEoCVILZGVz"
        "Y3JpcHRpb24SHAoJc2Vuc2l0aXZlGAcgASgIUglzZW5zaXRpdmUSMAoIdWlfaGludHMYCCABKAsyFS5hcHBzZXJ2ZXIudjIuVUlI"
        "aW50c1IHdWlIaW50cxIVCgNlbnYYCSABKAlIAVIDZW52iAEBQhAKDl9kZWZhdWx0X3ZhbHVlQgYKBF9lbnYi9AEKD1ZhbGlkYXRp"
        "b25SdWxlcxIiCgptaW5fbGVuZ3RoGAEgASgFSABSCW1pbkxlbmd0aIgBARIiCgptYXhfbGVuZ3RoGAIgASgFSAFSCW1heExlbmd0"
        "aIgBARIVCgNtaW4YAyABKAFIAlIDbWluiAEBEhUKA21heBgEIAEoAUgDUgNtYXiIAQESHQoHcGF0dGVybhgFIAEoCUgEUgdwYXR0"
        "ZXJuiAEBEhIKBGVudW0YBiADKAlSBGVudW1CDQoLX21pbl9sZW5ndGhCDQoLX21heF9sZW5ndGhCBgoEX21pbkIGCgRfbWF4QgoK"
        "CF9wYXR0ZXJuIpACCgdVSUhpbnRzEiIKCmlucHV0X3R5cGUYASABKAlIAFIJaW5wdXRUeXBliAEBEiUKC3BsYWNlaG9sZGVyGAIg"
        "ASgJSAFSC3BsYWNlaG9sZGVyiAEBEiAKCWhlbHBfdGV4dBgDIAEoCUgCUghoZWxwVGV4dIgBARIhCgltdWx0aWxpbmUYBCABKAhI"
        "A1IJbXVsdGlsaW5liAEBEhcKBHN0ZXAYBSABKAFIBFIEc3RlcIgBARIYCgdvcHRpb25zGAYgAygJUgdvcHRpb25zQg0KC19pbnB1"
        "dF90eXBlQg4KDF9wbGFjZWhvbGRlckIMCgpfaGVscF90ZXh0QgwKCl9tdWx0aWxpbmVCBwoFX3N0ZXAi4QIKC0FwcFNldHRpbmdz"
        "EhUKBmFwcF9pZBgBIAEoCVIFYXBwSWQSLwoGdmFsdWVzGAIgASgLMhcuZ29vZ2xlLnByb3RvYnVmLlN0cnVjdFIGdmFsdWVzEhgK"
        "B3ZlcnNpb24YAyABKANSB3ZlcnNpb24SHwoLc2VjcmV0c19zZXQYBCADKAlSCnNlY3JldHNTZXQSOQoKdXBkYXRlZF9hdBgFIAEo"
        "CzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSCXVwZGF0ZWRBdBIdCgp1cGRhdGVkX2J5GAYgASgJUgl1cGRhdGVkQnkSPwoK"
        "Y29uZGl0aW9ucxgHIAMoCzIfLmFwcHNlcnZlci52Mi5TZXR0aW5nc0NvbmRpdGlvblIKY29uZGl0aW9ucxI0CgZzY2hlbWEYCCAB"
        "KAsyHC5hcHBzZXJ2ZXIudjIuU2V0dGluZ3NTY2hlbWFSBnNjaGVtYSK/AQoRU2V0dGluZ3NDb25kaXRpb24SEgoEdHlwZRgBIAEo"
        "CVIEdHlwZRIWCgZzdGF0dXMYAiABKAlSBnN0YXR1cxIWCgZyZWFzb24YAyABKAlSBnJlYXNvbhIYCgdtZXNzYWdlGAQgASgJUgdt"
        "ZXNzYWdlEkwKFGxhc3RfdHJhbnNpdGlvbl90aW1lGAUgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcFISbGFzdFRyYW5z"
        "aXRpb25UaW1lIisKEkdldFNldHRpbmdzUmVxdWVzdBIVCgZhcHBfaWQYASABKAlSBWFwcElkIkwKE0dldFNldHRpbmdzUmVzcG9u"
        "c2USNQoIc2V0dGluZ3MYASABKAsyGS5hcHBzZXJ2ZXIudjIuQXBwU2V0dGluZ3NSCHNldHRpbmdzIqQBChVVcGRhdGVTZXR0aW5n"
        "c1JlcXVlc3QSFQoGYXBwX2lkGAEgASgJUgVhcHBJZBIvCgZ2YWx1ZXMYAiABKAsyFy5nb29nbGUucHJvdG9idWYuU3RydWN0UgZ2"
        "YWx1ZXMSLgoQZXhwZWN0ZWRfdmVyc2lvbhgDIAEoA0gAUg9leHBlY3RlZFZlcnNpb26IAQFCEwoRX2V4cGVjdGVkX3ZlcnNpb24i"
        "TwoWVXBkYXRlU2V0dGluZ3NSZXNwb25zZRI1CghzZXR0aW5ncxgBIAEoCzIZLmFwcHNlcnZlci52Mi5BcHBTZXR0aW5nc1IIc2V0"
        "dGluZ3MiLQoUV2F0Y2hTZXR0aW5nc1JlcXVlc3QSFQoGYXBwX2lkGAEgASgJUgVhcHBJZCJOChVXYXRjaFNldHRpbmdzUmVzcG9u"
        "c2USNQoIc2V0dGluZ3MYASABKAsyGS5hcHBzZXJ2ZXIudjIuQXBwU2V0dGluZ3NSCHNldHRpbmdzKqsECg9TZXR0aW5nRGF0YVR5"
        "cGUSIQodU0VUVElOR19EQVRBX1RZUEVfVU5TUEVDSUZJRUQQABIcChhTRVRUSU5HX0RBVEFfVFlQRV9TVFJJTkcQARIlCiFTRVRU"
        "SU5HX0RBVEFfVFlQRV9TVFJJTkdfUkVRVUlSRUQQAhIZChVTRVRUSU5HX0RBVEFfVFlQRV9JTlQQAxIiCh5TRVRUSU5HX0RBVEFf"
        "VFlQRV9JTlRfUkVRVUlSRUQQBBIbChdTRVRUSU5HX0RBVEFfVFlQRV9GTE9BVBAFEiQKIFNFVFRJTkdfREFUQV9UWVBFX0ZMT0FU"
        "X1JFUVVJUkVEEAYSGgoWU0VUVElOR19EQVRBX1RZUEVfQk9PTBAHEiMKH1NFVFRJTkdfREFUQV9UWVBFX0JPT0xfUkVRVUlSRUQQ"
        "CBIiCh5TRVRUSU5HX0RBVEFfVFlQRV9TVFJJTkdfQVJSQVkQCRIfChtTRVRUSU5HX0RBVEFfVFlQRV9JTlRfQVJSQVkQChIhCh1T"
        "RVRUSU5HX0RBVEFfVFlQRV9GTE9BVF9BUlJBWRALEiAKHFNFVFRJTkdfREFUQV9UWVBFX0JPT0xfQVJSQVkQDBIaChZTRVRUSU5H"
        "X0RBVEFfVFlQRV9KU09OEA0SIwofU0VUVElOR19EQVRBX1RZUEVfSlNPTl9SRVFVSVJFRBAOEiIKHlNFVFRJTkdfREFUQV9UWVBF"
        "X0tWUEFJUl9BUlJBWRAPMp4CCg9TZXR0aW5nc1NlcnZpY2USUgoLR2V0U2V0dGluZ3MSIC5hcHBzZXJ2ZXIudjIuR2V0U2V0dGlu"
        "Z3NSZXF1ZXN0GiEuYXBwc2VydmVyLnYyLkdldFNldHRpbmdzUmVzcG9uc2USWwoOVXBkYXRlU2V0dGluZ3MSIy5hcHBzZXJ2ZXIu"
        "djIuVXBkYXRlU2V0dGluZ3NSZXF1ZXN0GiQuYXBwc2VydmVyLnYyLlVwZGF0ZVNldHRpbmdzUmVzcG9uc2USWgoNV2F0Y2hTZXR0"
        "aW5ncxIiLmFwcHNlcnZlci52Mi5XYXRjaFNldHRpbmdzUmVxdWVzdBojLmFwcHNlcnZlci52Mi5XYXRjaFNldHRpbmdzUmVzcG9u"
        "c2UwAWIGcHJvdG8z"
    )
)

SettingDataType = EnumTypeWrapper(_FILE.enum_types_by_name["SettingDataType"])
SettingsSchema = GetMessageClass(_FILE.message_types_by_name["SettingsSchema"])
SettingDefinition = GetMessageClass(_FILE.message_types_by_name["SettingDefinition"])
ValidationRules = GetMessageClass(_FILE.message_types_by_name["ValidationRules"])
UIHints = GetMessageClass(_FILE.message_types_by_name["UIHints"])
AppSettings = GetMessageClass(_FILE.message_types_by_name["AppSettings"])
SettingsCondition = GetMessageClass(_FILE.message_types_by_name["SettingsCondition"])
GetSettingsRequest = GetMessageClass(_FILE.message_types_by_name["GetSettingsRequest"])
GetSettingsResponse = GetMessageClass(_FILE.message_types_by_name["GetSettingsResponse"])
UpdateSettingsRequest = GetMessageClass(_FILE.message_types_by_name["UpdateSettingsRequest"])
UpdateSettingsResponse = GetMessageClass(_FILE.message_types_by_name["UpdateSettingsResponse"])
WatchSettingsRequest = GetMessageClass(_FILE.message_types_by_name["WatchSettingsRequest"])
WatchSettingsResponse = GetMessageClass(_FILE.message_types_by_name["WatchSettingsResponse"])
SettingsService = _FILE.services_by_name["SettingsService"]
