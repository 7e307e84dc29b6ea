"""Generated from contracts/proto/appserver/v2/ui.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

from google.protobuf import descriptor_pool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChVhcHBzZXJ2ZXIvdjIvdWkucHJvdG8SDGFwcHNlcnZlci52MiKHAgoCVUkSKAoEbW9kZRgBIAEoDjIULmFwcHNlcnZlci52Mi5V"
        "SU1vZGVSBG1vZGUSKAoQZW50cnlfYXNzZXRfbmFtZRgCIAEoCVIOZW50cnlBc3NldE5hbWUSKgoOZXhwb3NlZF9tb2R1bGUYAyAB"
        "KAlIAFINZXhwb3NlZE1vZHVsZYgBARIdCgpyb3V0ZV9iYXNlGAQgASgJUglyb3V0ZUJhc2USEAoDc3NyGAUgASgIUgNzc3ISPQoK"
        "bmF2aWdhdGlvbhgGIAMoCzIdLmFwcHNlcnZlci52Mi5OYXZpZ2F0aW9uUm91dGVSCm5hdmlnYXRpb25CEQoPX2V4cG9zZWRfbW9k"
        "dWxlItECCg9OYXZpZ2F0aW9uUm91dGUSFAoFdGl0bGUYASABKAlSBXRpdGxlEhIKBGhyZWYYAiABKAlSBGhyZWYSFwoEaWNvbhgD"
        "IAEoCUgAUgRpY29uiAEBEjEKFHJlcXVpcmVkX3Blcm1pc3Npb25zGAQgAygJUhNyZXF1aXJlZFBlcm1pc3Npb25zEjkKCGNoaWxk"
        "cmVuGAUgAygLMh0uYXBwc2VydmVyLnYyLk5hdmlnYXRpb25Sb3V0ZVIIY2hpbGRyZW4SRwoIbWV0YWRhdGEYBiADKAsyKy5hcHBz"
        "ZXJ2ZXIudjIuTmF2aWdhdGlvblJvdXRlLk1ldGFkYXRhRW50cnlSCG1ldGFkYXRhGjsKDU1ldGFkYXRhRW50cnkSEAoDa2V5GAEg"
        "ASgJUgNrZXkSFAoFdmFsdWUYAiABKAlSBXZhbHVlOgI4AUIHCgVfaWNvbipvCgZVSU1vZGUSFwoTVUlfTU9ERV9VTlNQRUNJRklF"
        "RBAAEhYKElVJX01PREVfRkVERVJBVElPThABEhkKFVVJX01PREVfV0VCX0NPTVBPTkVOVBACEhkKFVVJX01PREVfRVNNX0NPTVBP"
        "TkVOVBADYgZwcm90bzM="
    )
)

UIMode = EnumTypeWrapper(_FILE.enum_types_by_name["UIMode"])
UI = GetMessageClass(_FILE.message_types_by_name["UI"])
NavigationRoute = GetMessageClass(_FILE.message_types_by_name["NavigationRoute"])
