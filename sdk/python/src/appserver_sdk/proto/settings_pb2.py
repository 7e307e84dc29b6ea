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
        "aXRpb25UaW1lIq8CCgxTZXR0aW5nVmFsdWUSEAoDa2V5GAEgASgJUgNrZXkSLAoFdmFsdWUYAiABKAsyFi5nb29nbGUucHJvdG9i"
        "dWYuVmFsdWVSBXZhbHVlEjoKCWRhdGFfdHlwZRgDIAEoDjIdLmFwcHNlcnZlci52Mi5TZXR0aW5nRGF0YVR5cGVSCGRhdGFUeXBl"
        "EhwKCXNlbnNpdGl2ZRgEIAEoCFIJc2Vuc2l0aXZlEhUKBmlzX3NldBgFIAEoCFIFaXNTZXQSMwoGc291cmNlGAYgASgOMhsuYXBw"
        "c2VydmVyLnYyLlNldHRpbmdTb3VyY2VSBnNvdXJjZRI5Cgp1cGRhdGVkX2F0GAcgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVz"
        "dGFtcFIJdXBkYXRlZEF0IisKEkdldFNldHRpbmdzUmVxdWVzdBIVCgZhcHBfaWQYASABKAlSBWFwcElkIkwKE0dldFNldHRpbmdz"
        "UmVzcG9uc2USNQoIc2V0dGluZ3MYASABKAsyGS5hcHBzZXJ2ZXIudjIuQXBwU2V0dGluZ3NSCHNldHRpbmdzIjwKEUdldFNldHRp"
        "bmdSZXF1ZXN0EhUKBmFwcF9pZBgBIAEoCVIFYXBwSWQSEAoDa2V5GAIgASgJUgNrZXkiSgoSR2V0U2V0dGluZ1Jlc3BvbnNlEjQK"
        "B3NldHRpbmcYASABKAsyGi5hcHBzZXJ2ZXIudjIuU2V0dGluZ1ZhbHVlUgdzZXR0aW5nIqQBChVVcGRhdGVTZXR0aW5nc1JlcXVl"
        "c3QSFQoGYXBwX2lkGAEgASgJUgVhcHBJZBIvCgZ2YWx1ZXMYAiABKAsyFy5nb29nbGUucHJvdG9idWYuU3RydWN0UgZ2YWx1ZXMS"
        "LgoQZXhwZWN0ZWRfdmVyc2lvbhgDIAEoA0gAUg9leHBlY3RlZFZlcnNpb26IAQFCEwoRX2V4cGVjdGVkX3ZlcnNpb24iTwoWVXBk"
        "YXRlU2V0dGluZ3NSZXNwb25zZRI1CghzZXR0aW5ncxgBIAEoCzIZLmFwcHNlcnZlci52Mi5BcHBTZXR0aW5nc1IIc2V0dGluZ3Mi"
        "cwoVRGVsZXRlU2V0dGluZ3NSZXF1ZXN0EhUKBmFwcF9pZBgBIAEoCVIFYXBwSWQSLgoQZXhwZWN0ZWRfdmVyc2lvbhgCIAEoA0gA"
        "Ug9leHBlY3RlZFZlcnNpb26IAQFCEwoRX2V4cGVjdGVkX3ZlcnNpb24iGAoWRGVsZXRlU2V0dGluZ3NSZXNwb25zZSItChRXYXRj"
        "aFNldHRpbmdzUmVxdWVzdBIVCgZhcHBfaWQYASABKAlSBWFwcElkIk4KFVdhdGNoU2V0dGluZ3NSZXNwb25zZRI1CghzZXR0aW5n"
        "cxgBIAEoCzIZLmFwcHNlcnZlci52Mi5BcHBTZXR0aW5nc1IIc2V0dGluZ3MqqwQKD1NldHRpbmdEYXRhVHlwZRIhCh1TRVRUSU5H"
        "X0RBVEFfVFlQRV9VTlNQRUNJRklFRBAAEhwKGFNFVFRJTkdfREFUQV9UWVBFX1NUUklORxABEiUKIVNFVFRJTkdfREFUQV9UWVBF"
        "X1NUUklOR19SRVFVSVJFRBACEhkKFVNFVFRJTkdfREFUQV9UWVBFX0lOVBADEiIKHlNFVFRJTkdfREFUQV9UWVBFX0lOVF9SRVFV"
        "SVJFRBAEEhsKF1NFVFRJTkdfREFUQV9UWVBFX0ZMT0FUEAUSJAogU0VUVElOR19EQVRBX1RZUEVfRkxPQVRfUkVRVUlSRUQQBhIa"
        "ChZTRVRUSU5HX0RBVEFfVFlQRV9CT09MEAcSIwofU0VUVElOR19EQVRBX1RZUEVfQk9PTF9SRVFVSVJFRBAIEiIKHlNFVFRJTkdf"
        "REFUQV9UWVBFX1NUUklOR19BUlJBWRAJEh8KG1NFVFRJTkdfREFUQV9UWVBFX0lOVF9BUlJBWRAKEiEKHVNFVFRJTkdfREFUQV9U"
        "WVBFX0ZMT0FUX0FSUkFZEAsSIAocU0VUVElOR19EQVRBX1RZUEVfQk9PTF9BUlJBWRAMEhoKFlNFVFRJTkdfREFUQV9UWVBFX0pT"
        "T04QDRIjCh9TRVRUSU5HX0RBVEFfVFlQRV9KU09OX1JFUVVJUkVEEA4SIgoeU0VUVElOR19EQVRBX1RZUEVfS1ZQQUlSX0FSUkFZ"
        "EA8qZgoNU2V0dGluZ1NvdXJjZRIeChpTRVRUSU5HX1NPVVJDRV9VTlNQRUNJRklFRBAAEhoKFlNFVFRJTkdfU09VUkNFX0RFRkFV"
        "TFQQARIZChVTRVRUSU5HX1NPVVJDRV9TVE9SRUQQAjLMAwoPU2V0dGluZ3NTZXJ2aWNlElIKC0dldFNldHRpbmdzEiAuYXBwc2Vy"
        "dmVyLnYyLkdldFNldHRpbmdzUmVxdWVzdBohLmFwcHNlcnZlci52Mi5HZXRTZXR0aW5nc1Jlc3BvbnNlEk8KCkdldFNldHRpbmcS"
        "Hy5hcHBzZXJ2ZXIudjIuR2V0U2V0dGluZ1JlcXVlc3QaIC5hcHBzZXJ2ZXIudjIuR2V0U2V0dGluZ1Jlc3BvbnNlElsKDlVwZGF0"
        "ZVNldHRpbmdzEiMuYXBwc2VydmVyLnYyLlVwZGF0ZVNldHRpbmdzUmVxdWVzdBokLmFwcHNlcnZlci52Mi5VcGRhdGVTZXR0aW5n"
        "c1Jlc3BvbnNlElsKDkRlbGV0ZVNldHRpbmdzEiMuYXBwc2VydmVyLnYyLkRlbGV0ZVNldHRpbmdzUmVxdWVzdBokLmFwcHNlcnZl"
        "ci52Mi5EZWxldGVTZXR0aW5nc1Jlc3BvbnNlEloKDVdhdGNoU2V0dGluZ3MSIi5hcHBzZXJ2ZXIudjIuV2F0Y2hTZXR0aW5nc1Jl"
        "cXVlc3QaIy5hcHBzZXJ2ZXIudjIuV2F0Y2hTZXR0aW5nc1Jlc3BvbnNlMAFiBnByb3RvMw=="
    )
)

SettingDataType = EnumTypeWrapper(_FILE.enum_types_by_name["SettingDataType"])
SettingSource = EnumTypeWrapper(_FILE.enum_types_by_name["SettingSource"])
SettingsSchema = GetMessageClass(_FILE.message_types_by_name["SettingsSchema"])
SettingDefinition = GetMessageClass(_FILE.message_types_by_name["SettingDefinition"])
ValidationRules = GetMessageClass(_FILE.message_types_by_name["ValidationRules"])
UIHints = GetMessageClass(_FILE.message_types_by_name["UIHints"])
AppSettings = GetMessageClass(_FILE.message_types_by_name["AppSettings"])
SettingsCondition = GetMessageClass(_FILE.message_types_by_name["SettingsCondition"])
SettingValue = GetMessageClass(_FILE.message_types_by_name["SettingValue"])
GetSettingsRequest = GetMessageClass(_FILE.message_types_by_name["GetSettingsRequest"])
GetSettingsResponse = GetMessageClass(_FILE.message_types_by_name["GetSettingsResponse"])
GetSettingRequest = GetMessageClass(_FILE.message_types_by_name["GetSettingRequest"])
GetSettingResponse = GetMessageClass(_FILE.message_types_by_name["GetSettingResponse"])
UpdateSettingsRequest = GetMessageClass(_FILE.message_types_by_name["UpdateSettingsRequest"])
UpdateSettingsResponse = GetMessageClass(_FILE.message_types_by_name["UpdateSettingsResponse"])
DeleteSettingsRequest = GetMessageClass(_FILE.message_types_by_name["DeleteSettingsRequest"])
DeleteSettingsResponse = GetMessageClass(_FILE.message_types_by_name["DeleteSettingsResponse"])
WatchSettingsRequest = GetMessageClass(_FILE.message_types_by_name["WatchSettingsRequest"])
WatchSettingsResponse = GetMessageClass(_FILE.message_types_by_name["WatchSettingsResponse"])
SettingsService = _FILE.services_by_name["SettingsService"]
