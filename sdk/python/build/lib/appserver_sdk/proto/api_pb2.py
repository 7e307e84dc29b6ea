"""Generated from contracts/proto/appserver/v2/api.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

from google.protobuf import descriptor_pool
from google.protobuf.message_factory import GetMessageClass

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChZhcHBzZXJ2ZXIvdjIvYXBpLnByb3RvEgxhcHBzZXJ2ZXIudjIiywQKBldlYkFwaRIbCgliYXNlX3BhdGgYASABKAlSCGJhc2VQ"
        "YXRoEioKEXVwc3RyZWFtX2Jhc2VfdXJsGAIgASgJUg91cHN0cmVhbUJhc2VVcmwSKwoPc3RyaXBfYmFzZV9wYXRoGAMgASgISABS"
        "DXN0cmlwQmFzZVBhdGiIAQESIgoKdGltZW91dF9tcxgEIAEoBUgBUgl0aW1lb3V0TXOIAQESJwoPZm9yd2FyZF9oZWFkZXJzGAUg"
        "AygJUg5mb3J3YXJkSGVhZGVycxIvCgZyb3V0ZXMYBiADKAsyFy5hcHBzZXJ2ZXIudjIuUm91dGVTcGVjUgZyb3V0ZXMSMQoUcmVx"
        "dWlyZWRfcGVybWlzc2lvbnMYByADKAlSE3JlcXVpcmVkUGVybWlzc2lvbnMSRQoSZGVmYXVsdF9yYXRlX2xpbWl0GAggASgLMhcu"
        "YXBwc2VydmVyLnYyLlJhdGVMaW1pdFIQZGVmYXVsdFJhdGVMaW1pdBI8CgxoZWFsdGhfY2hlY2sYCSABKAsyGS5hcHBzZXJ2ZXIu"
        "djIuSGVhbHRoQ2hlY2tSC2hlYWx0aENoZWNrEiQKC29wZW5hcGlfdXJsGAogASgJSAJSCm9wZW5hcGlVcmyIAQESKQoObWF4X2Jv"
        "ZHlfYnl0ZXMYCyABKANIA1IMbWF4Qm9keUJ5dGVziAEBQhIKEF9zdHJpcF9iYXNlX3BhdGhCDQoLX3RpbWVvdXRfbXNCDgoMX29w"
        "ZW5hcGlfdXJsQhEKD19tYXhfYm9keV9ieXRlcyK0AgoJUm91dGVTcGVjEhgKB3BhdHRlcm4YASABKAlSB3BhdHRlcm4SGAoHbWV0"
        "aG9kcxgCIAMoCVIHbWV0aG9kcxIWCgZzY29wZXMYAyADKAlSBnNjb3BlcxIiCgp0aW1lb3V0X21zGAQgASgFSABSCXRpbWVvdXRN"
        "c4gBARI2CgpyYXRlX2xpbWl0GAUgASgLMhcuYXBwc2VydmVyLnYyLlJhdGVMaW1pdFIJcmF0ZUxpbWl0EhsKCWlzX3B1YmxpYxgG"
        "IAEoCFIIaXNQdWJsaWMSFwoEcGF0aBgHIAEoCUgBUgRwYXRoiAEBEjEKFHJlcXVpcmVkX3Blcm1pc3Npb25zGAggAygJUhNyZXF1"
        "aXJlZFBlcm1pc3Npb25zQg0KC190aW1lb3V0X21zQgcKBV9wYXRoIvIBCglSYXRlTGltaXQSFQoDcnBtGAEgASgFSABSA3JwbYgB"
        "ARIZCgVidXJzdBgCIAEoBUgBUgVidXJzdIgBARIfCghyZXF1ZXN0cxgDIAEoBUgCUghyZXF1ZXN0c4gBARIqCg53aW5kb3dfc2Vj"
        "b25kcxgEIAEoBUgDUg13aW5kb3dTZWNvbmRziAEBEiQKC2tleV9wYXR0ZXJuGAUgASgJSARSCmtleVBhdHRlcm6IAQFCBgoEX3Jw"
        "bUIICgZfYnVyc3RCCwoJX3JlcXVlc3RzQhEKD193aW5kb3dfc2Vjb25kc0IOCgxfa2V5X3BhdHRlcm4i5wEKC0hlYWx0aENoZWNr"
        "EhIKBHBhdGgYASABKAlSBHBhdGgSLgoQaW50ZXJ2YWxfc2Vjb25kcxgCIAEoBUgAUg9pbnRlcnZhbFNlY29uZHOIAQESIgoKdGlt"
        "ZW91dF9tcxgDIAEoBUgBUgl0aW1lb3V0TXOIAQESNAoTdW5oZWFsdGh5X3RocmVzaG9sZBgEIAEoBUgCUhJ1bmhlYWx0aHlUaHJl"
        "c2hvbGSIAQFCEwoRX2ludGVydmFsX3NlY29uZHNCDQoLX3RpbWVvdXRfbXNCFgoUX3VuaGVhbHRoeV90aHJlc2hvbGRiBnByb3Rv"
        "Mw=="
    )
)

WebApi = GetMessageClass(_FILE.message_types_by_name["WebApi"])
RouteSpec = GetMessageClass(_FILE.message_types_by_name["RouteSpec"])
RateLimit = GetMessageClass(_FILE.message_types_by_name["RateLimit"])
HealthCheck = GetMessageClass(_FILE.message_types_by_name["HealthCheck"])
