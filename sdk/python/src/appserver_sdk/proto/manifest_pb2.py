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
        "dmVyL3YyL2NvbW1vbi5wcm90bxobYXBwc2VydmVyL3YyL3NldHRpbmdzLnByb3RvGhVhcHBzZXJ2ZXIvdjIvdWkucHJvdG8i8wgK"
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
        "cmVwbGljYXMSIAoLZGVzY3JpcHRpb24YFSABKAlSC2Rlc2NyaXB0aW9uGj4KEEVudmlyb25tZW50RW50cnkSEAoDa2V5GAEgASgJ"
        "UgNrZXkSFAoFdmFsdWUYAiABKAlSBXZhbHVlOgI4AUIXChVfbWluX3BsYXRmb3JtX3ZlcnNpb25CBwoFX3VzZXJCDwoNX2ltYWdl"
        "X2RpZ2VzdEoECA4QDyJ+CghSZXBsaWNhcxIVCgNtaW4YASABKAVIAFIDbWluiAEBEhUKA21heBgCIAEoBUgBUgNtYXiIAQESJAoL"
        "Y3B1X3BlcmNlbnQYAyABKAVIAlIKY3B1UGVyY2VudIgBAUIGCgRfbWluQgYKBF9tYXhCDgoMX2NwdV9wZXJjZW50IloKEVN0b3Jh"
        "Z2VEZWZpbml0aW9uEhIKBG5hbWUYASABKAlSBG5hbWUSHQoKbW91bnRfcGF0aBgCIAEoCVIJbW91bnRQYXRoEhIKBHNpemUYAyAB"
        "KAlSBHNpemUilQEKDlJlc291cmNlTGltaXRzEiAKCW1lbW9yeV9tYhgBIAEoBUgAUghtZW1vcnlNYogBARIiCgpjcHVfc2hhcmVz"
        "GAIgASgFSAFSCWNwdVNoYXJlc4gBARIXCgRwaWRzGAMgASgFSAJSBHBpZHOIAQFCDAoKX21lbW9yeV9tYkINCgtfY3B1X3NoYXJl"
        "c0IHCgVfcGlkcyJ/CgZXZWJBcHASKwoGYXNzZXRzGAEgAygLMhMuYXBwc2VydmVyLnYyLkFzc2V0UgZhc3NldHMSIAoCdWkYAiAB"
        "KAsyEC5hcHBzZXJ2ZXIudjIuVUlSAnVpEiYKA2FwaRgDIAEoCzIULmFwcHNlcnZlci52Mi5XZWJBcGlSA2FwaSKKAQoFQXNzZXQS"
        "EgoEbmFtZRgBIAEoCVIEbmFtZRIbCgltaW1lX3R5cGUYAiABKAlSCG1pbWVUeXBlEhoKCGNvbnRlbnRzGAMgASgMUghjb250ZW50"
        "cxIcCglzaWduYXR1cmUYBCABKAxSCXNpZ25hdHVyZRIWCgZzaGEyNTYYBSABKAlSBnNoYTI1NiJDChBIb29rU3Vic2NyaXB0aW9u"
        "EhsKCWhvb2tfbmFtZRgBIAEoCVIIaG9va05hbWUSEgoEcGF0aBgCIAEoCVIEcGF0aCKNAwoSQWN0aXZpdHlEZWZpbml0aW9uEhIK"
        "BG5hbWUYASABKAlSBG5hbWUSJgoMaW5wdXRfc2NoZW1hGAIgASgJSABSC2lucHV0U2NoZW1hiAEBEiIKCnRpbWVvdXRfbXMYAyAB"
        "KAVIAVIJdGltZW91dE1ziAEBEiQKC21heF9yZXRyaWVzGAQgASgFSAJSCm1heFJldHJpZXOIAQESJQoLY29uY3VycmVuY3kYBSAB"
        "KAVIA1ILY29uY3VycmVuY3mIAQESKAoNc2luZ2xldG9uX2tleRgGIAEoCUgEUgxzaW5nbGV0b25LZXmIAQESQQoIc2NoZWR1bGUY"
        "ByABKAsyIC5hcHBzZXJ2ZXIudjIuQWN0aXZpdHlSZWN1cnJlbmNlSAVSCHNjaGVkdWxliAEBQg8KDV9pbnB1dF9zY2hlbWFCDQoL"
        "X3RpbWVvdXRfbXNCDgoMX21heF9yZXRyaWVzQg4KDF9jb25jdXJyZW5jeUIQCg5fc2luZ2xldG9uX2tleUILCglfc2NoZWR1bGUi"
        "zgEKEkFjdGl2aXR5UmVjdXJyZW5jZRIXCgRjcm9uGAEgASgJSABSBGNyb26IAQESLgoQaW50ZXJ2YWxfc2Vjb25kcxgCIAEoBUgB"
        "Ug9pbnRlcnZhbFNlY29uZHOIAQESHwoIdGltZXpvbmUYAyABKAlIAlIIdGltZXpvbmWIAQESGQoFaW5wdXQYBCABKAlIA1IFaW5w"
        "dXSIAQFCBwoFX2Nyb25CEwoRX2ludGVydmFsX3NlY29uZHNCCwoJX3RpbWV6b25lQggKBl9pbnB1dCp0Cg9VcGdyYWRlU3RyYXRl"
        "Z3kSIAocVVBHUkFERV9TVFJBVEVHWV9VTlNQRUNJRklFRBAAEiEKHVVQR1JBREVfU1RSQVRFR1lfU0lERV9CWV9TSURFEAESHAoY"
        "VVBHUkFERV9TVFJBVEVHWV9SRVBMQUNFEAJiBnByb3RvMw=="
    )
)

UpgradeStrategy = EnumTypeWrapper(_FILE.enum_types_by_name["UpgradeStrategy"])
AppManifest = GetMessageClass(_FILE.message_types_by_name["AppManifest"])
Replicas = GetMessageClass(_FILE.message_types_by_name["Replicas"])
StorageDefinition = GetMessageClass(_FILE.message_types_by_name["StorageDefinition"])
ResourceLimits = GetMessageClass(_FILE.message_types_by_name["ResourceLimits"])
WebApp = GetMessageClass(_FILE.message_types_by_name["WebApp"])
Asset = GetMessageClass(_FILE.message_types_by_name["Asset"])
HookSubscription = GetMessageClass(_FILE.message_types_by_name["HookSubscription"])
ActivityDefinition = GetMessageClass(_FILE.message_types_by_name["ActivityDefinition"])
ActivityRecurrence = GetMessageClass(_FILE.message_types_by_name["ActivityRecurrence"])
