"""Generated from contracts/proto/appserver/v2/manifest.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

from google.protobuf import descriptor_pool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

# Their messages are used by this file's.
from . import api_pb2, common_pb2, settings_pb2, ui_pb2  # noqa: F401

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChthcHBzZXJ2ZXIvdjIvbWFuaWZlc3QucHJvdG8SDGFwcHNlcnZlci52MhoWYXBwc2VydmVyL3YyL2FwaS5wcm90bxoZYXBwc2Vy"
        "dmVyL3YyL2NvbW1vbi5wcm90bxobYXBwc2VydmVyL3YyL3NldHRpbmdzLnByb3RvGhVhcHBzZXJ2ZXIvdjIvdWkucHJvdG8ioAoK"
        "C0FwcE1hbmlmZXN0EhIKBG5hbWUYASABKAlSBG5hbWUSIAoLY2VydGlmaWNhdGUYAiABKAxSC2NlcnRpZmljYXRlEi0KB3dlYl9h"
        "cHAYAyABKAsyFC5hcHBzZXJ2ZXIudjIuV2ViQXBwUgZ3ZWJBcHASSwoUcmVxdWlyZWRfcGVybWlzc2lvbnMYBCADKAsyGC5hcHBz"
        "ZXJ2ZXIudjIuUGVybWlzc2lvblITcmVxdWlyZWRQZXJtaXNzaW9ucxJHCgxkZXBlbmRlbmNpZXMYBSADKAsyIy5hcHBzZXJ2ZXIu"
        "djIuRGVwZW5kZW5jeVJlcXVpcmVtZW50UgxkZXBlbmRlbmNpZXMSOAoIc2V0dGluZ3MYBiABKAsyHC5hcHBzZXJ2ZXIudjIuU2V0"
        "dGluZ3NTY2hlbWFSCHNldHRpbmdzEhgKB3ZlcnNpb24YByABKAlSB3ZlcnNpb24SIQoMZGlzcGxheV9uYW1lGAggASgJUgtkaXNw"
        "bGF5TmFtZRI0CgVob29rcxgJIAMoCzIeLmFwcHNlcnZlci52Mi5Ib29rU3Vic2NyaXB0aW9uUgVob29rcxJACgphY3Rpdml0aWVz"
        "GAogAygLMiAuYXBwc2VydmVyLnYyLkFjdGl2aXR5RGVmaW5pdGlvblIKYWN0aXZpdGllcxI1ChRtaW5fcGxhdGZvcm1fdmVyc2lv"
        "bhgLIAEoCUgAUhJtaW5QbGF0Zm9ybVZlcnNpb26IAQESNQoWaXJyZXZlcnNpYmxlX21pZ3JhdGlvbhgMIAEoCFIVaXJyZXZlcnNp"
        "YmxlTWlncmF0aW9uEjcKB3VwZ3JhZGUYDSABKA4yHS5hcHBzZXJ2ZXIudjIuVXBncmFkZVN0cmF0ZWd5Ugd1cGdyYWRlEkwKC2Vu"
        "dmlyb25tZW50GA8gAygLMiouYXBwc2VydmVyLnYyLkFwcE1hbmlmZXN0LkVudmlyb25tZW50RW50cnlSC2Vudmlyb25tZW50EhcK"
        "BHVzZXIYECABKAlIAVIEdXNlcogBARI5CgdzdG9yYWdlGBEgAygLMh8uYXBwc2VydmVyLnYyLlN0b3JhZ2VEZWZpbml0aW9uUgdz"
        "dG9yYWdlEjoKCXJlc291cmNlcxgSIAEoCzIcLmFwcHNlcnZlci52Mi5SZXNvdXJjZUxpbWl0c1IJcmVzb3VyY2VzEiYKDGltYWdl"
        "X2RpZ2VzdBgTIAEoCUgCUgtpbWFnZURpZ2VzdIgBARIyCghyZXBsaWNhcxgUIAEoCzIWLmFwcHNlcnZlci52Mi5SZXBsaWNhc1II"
        "cmVwbGljYXMSIAoLZGVzY3JpcHRpb24YFSABKAlSC2Rlc2NyaXB0aW9uEk8KDHRyYW5zbGF0aW9ucxgWIAMoCzIrLmFwcHNlcnZl"
        "ci52Mi5BcHBNYW5pZmVzdC5UcmFuc2xhdGlvbnNFbnRyeVIMdHJhbnNsYXRpb25zGj4KEEVudmlyb25tZW50RW50cnkSEAoDa2V5"
        "GAEgASgJUgNrZXkSFAoFdmFsdWUYAiABKAlSBXZhbHVlOgI4ARpaChFUcmFuc2xhdGlvbnNFbnRyeRIQCgNrZXkYASABKAlSA2tl"
        "eRIvCgV2YWx1ZRgCIAEoCzIZLmFwcHNlcnZlci52Mi5UcmFuc2xhdGlvblIFdmFsdWU6AjgBQhcKFV9taW5fcGxhdGZvcm1fdmVy"
        "c2lvbkIHCgVfdXNlckIPCg1faW1hZ2VfZGlnZXN0SgQIDhAPIswBCgtUcmFuc2xhdGlvbhIhCgxkaXNwbGF5X25hbWUYASABKAlS"
        "C2Rpc3BsYXlOYW1lEiAKC2Rlc2NyaXB0aW9uGAIgASgJUgtkZXNjcmlwdGlvbhI9CgZ0aXRsZXMYAyADKAsyJS5hcHBzZXJ2ZXIu"
        "djIuVHJhbnNsYXRpb24uVGl0bGVzRW50cnlSBnRpdGxlcxo5CgtUaXRsZXNFbnRyeRIQCgNrZXkYASABKAlSA2tleRIUCgV2YWx1"
        "ZRgCIAEoCVIFdmFsdWU6AjgBIn4KCFJlcGxpY2FzEhUKA21pbhgBIAEoBUgAUgNtaW6IAQESFQoDbWF4GAIgASgFSAFSA21heIgB"
        "ARIkCgtjcHVfcGVyY2VudBgDIAEoBUgCUgpjcHVQZXJjZW50iAEBQgYKBF9taW5CBgoEX21heEIOCgxfY3B1X3BlcmNlbnQiWgoR"
        "U3RvcmFnZURlZmluaXRpb24SEgoEbmFtZRgBIAEoCVIEbmFtZRIdCgptb3VudF9wYXRoGAIgASgJUgltb3VudFBhdGgSEgoEc2l6"
        "ZRgDIAEoCVIEc2l6ZSKVAQoOUmVzb3VyY2VMaW1pdHMSIAoJbWVtb3J5X21iGAEgASgFSABSCG1lbW9yeU1iiAEBEiIKCmNwdV9z"
        "aGFyZXMYAiABKAVIAVIJY3B1U2hhcmVziAEBEhcKBHBpZHMYAyABKAVIAlIEcGlkc4gBAUIMCgpfbWVtb3J5X21iQg0KC19jcHVf"
        "c2hhcmVzQgcKBV9waWRzIn8KBldlYkFwcBIrCgZhc3NldHMYASADKAsyEy5hcHBzZXJ2ZXIudjIuQXNzZXRSBmFzc2V0cxIgCgJ1"
        "aRgCIAEoCzIQLmFwcHNlcnZlci52Mi5VSVICdWkSJgoDYXBpGAMgASgLMhQuYXBwc2VydmVyLnYyLldlYkFwaVIDYXBpIooBCgVB"
        "c3NldBISCgRuYW1lGAEgASgJUgRuYW1lEhsKCW1pbWVfdHlwZRgCIAEoCVIIbWltZVR5cGUSGgoIY29udGVudHMYAyABKAxSCGNv"
        "bnRlbnRzEhwKCXNpZ25hdHVyZRgEIAEoDFIJc2lnbmF0dXJlEhYKBnNoYTI1NhgFIAEoCVIGc2hhMjU2IkMKEEhvb2tTdWJzY3Jp"
        "cHRpb24SGwoJaG9va19uYW1lGAEgASgJUghob29rTmFtZRISCgRwYXRoGAIgASgJUgRwYXRoIqEDChJBY3Rpdml0eURlZmluaXRp"
        "b24SEgoEbmFtZRgBIAEoCVIEbmFtZRImCgxpbnB1dF9zY2hlbWEYAiABKAlIAFILaW5wdXRTY2hlbWGIAQESIgoKdGltZW91dF9t"
        "cxgDIAEoBUgBUgl0aW1lb3V0TXOIAQESJAoLbWF4X3JldHJpZXMYBCABKAVIAlIKbWF4UmV0cmllc4gBARIlCgtjb25jdXJyZW5j"
        "eRgFIAEoBUgDUgtjb25jdXJyZW5jeYgBARIoCg1zaW5nbGV0b25fa2V5GAYgASgJSARSDHNpbmdsZXRvbktleYgBARJBCghzY2hl"
        "ZHVsZRgHIAEoCzIgLmFwcHNlcnZlci52Mi5BY3Rpdml0eVJlY3VycmVuY2VIBVIIc2NoZWR1bGWIAQESEgoEcGF0aBgIIAEoCVIE"
        "cGF0aEIPCg1faW5wdXRfc2NoZW1hQg0KC190aW1lb3V0X21zQg4KDF9tYXhfcmV0cmllc0IOCgxfY29uY3VycmVuY3lCEAoOX3Np"
        "bmdsZXRvbl9rZXlCCwoJX3NjaGVkdWxlIs4BChJBY3Rpdml0eVJlY3VycmVuY2USFwoEY3JvbhgBIAEoCUgAUgRjcm9uiAEBEi4K"
        "EGludGVydmFsX3NlY29uZHMYAiABKAVIAVIPaW50ZXJ2YWxTZWNvbmRziAEBEh8KCHRpbWV6b25lGAMgASgJSAJSCHRpbWV6b25l"
        "iAEBEhkKBWlucHV0GAQgASgJSANSBWlucHV0iAEBQgcKBV9jcm9uQhMKEV9pbnRlcnZhbF9zZWNvbmRzQgsKCV90aW1lem9uZUII"
        "CgZfaW5wdXQqdAoPVXBncmFkZVN0cmF0ZWd5EiAKHFVQR1JBREVfU1RSQVRFR1lfVU5TUEVDSUZJRUQQABIhCh1VUEdSQURFX1NU"
        "UkFURUdZX1NJREVfQllfU0lERRABEhwKGFVQR1JBREVfU1RSQVRFR1lfUkVQTEFDRRACYgZwcm90bzM="
    )
)

UpgradeStrategy = EnumTypeWrapper(_FILE.enum_types_by_name["UpgradeStrategy"])
AppManifest = GetMessageClass(_FILE.message_types_by_name["AppManifest"])
Translation = GetMessageClass(_FILE.message_types_by_name["Translation"])
Replicas = GetMessageClass(_FILE.message_types_by_name["Replicas"])
StorageDefinition = GetMessageClass(_FILE.message_types_by_name["StorageDefinition"])
ResourceLimits = GetMessageClass(_FILE.message_types_by_name["ResourceLimits"])
WebApp = GetMessageClass(_FILE.message_types_by_name["WebApp"])
Asset = GetMessageClass(_FILE.message_types_by_name["Asset"])
HookSubscription = GetMessageClass(_FILE.message_types_by_name["HookSubscription"])
ActivityDefinition = GetMessageClass(_FILE.message_types_by_name["ActivityDefinition"])
ActivityRecurrence = GetMessageClass(_FILE.message_types_by_name["ActivityRecurrence"])
