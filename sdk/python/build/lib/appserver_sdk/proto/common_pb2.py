"""Generated from contracts/proto/appserver/v2/common.proto by `npm run generate`. Do not edit."""

from base64 import b64decode

from google.protobuf import descriptor_pool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

# Their messages are used by this file's.
from google.protobuf import struct_pb2, timestamp_pb2  # noqa: F401

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
        "ChlhcHBzZXJ2ZXIvdjIvY29tbW9uLnByb3RvEgxhcHBzZXJ2ZXIudjIaHGdvb2dsZS9wcm90b2J1Zi9zdHJ1Y3QucHJvdG8aH2dv"
        "b2dsZS9wcm90b2J1Zi90aW1lc3RhbXAucHJvdG8ijAEKClBlcm1pc3Npb24SFAoFc2NvcGUYASABKAlSBXNjb3BlEiMKDXJlc291"
        "cmNlX3R5cGUYAiABKAlSDHJlc291cmNlVHlwZRIWCgZyZWFzb24YAyABKAlSBnJlYXNvbhIrChFyZXF1aXJlc19hcHByb3ZhbBgE"
        "IAEoCFIQcmVxdWlyZXNBcHByb3ZhbCKvAQoVRGVwZW5kZW5jeVJlcXVpcmVtZW50EhkKCGFwcF9uYW1lGAEgASgJUgdhcHBOYW1l"
        "EjAKBGtpbmQYAiABKA4yHC5hcHBzZXJ2ZXIudjIuRGVwZW5kZW5jeUtpbmRSBGtpbmQSMgoSdmVyc2lvbl9jb25zdHJhaW50GAMg"
        "ASgJSABSEXZlcnNpb25Db25zdHJhaW50iAEBQhUKE192ZXJzaW9uX2NvbnN0cmFpbnQiagoHUHJvYmxlbRISCgRjb2RlGAEgASgJ"
        "UgRjb2RlEhgKB21lc3NhZ2UYAiABKAlSB21lc3NhZ2USMQoHZGV0YWlscxgDIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3RS"
        "B2RldGFpbHMiOwoJVmlvbGF0aW9uEhQKBWZpZWxkGAEgASgJUgVmaWVsZBIYCgdtZXNzYWdlGAIgASgJUgdtZXNzYWdlIo0DCglP"
        "cGVyYXRpb24SDgoCaWQYASABKAlSAmlkEhIKBGtpbmQYAiABKAlSBGtpbmQSFAoFc3RhZ2UYAyABKAlSBXN0YWdlEhoKCHByb2dy"
        "ZXNzGAQgASgBUghwcm9ncmVzcxISCgRkb25lGAUgASgIUgRkb25lEisKBWVycm9yGAYgASgLMhUuYXBwc2VydmVyLnYyLlByb2Js"
        "ZW1SBWVycm9yEjkKCnN0YXJ0ZWRfYXQYByABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wUglzdGFydGVkQXQSOwoLZmlu"
        "aXNoZWRfYXQYCCABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wUgpmaW5pc2hlZEF0EhkKCGFwcF9uYW1lGAkgASgJUgdh"
        "cHBOYW1lEhgKB3ZlcnNpb24YCiABKAlSB3ZlcnNpb24SFAoFYWN0b3IYCyABKAlSBWFjdG9yEhsKBnJlYXNvbhgMIAEoCUgAUgZy"
        "ZWFzb26IAQFCCQoHX3JlYXNvbiplCg5EZXBlbmRlbmN5S2luZBIfChtERVBFTkRFTkNZX0tJTkRfVU5TUEVDSUZJRUQQABIYChRE"
        "RVBFTkRFTkNZX0tJTkRfSEFSRBABEhgKFERFUEVOREVOQ1lfS0lORF9TT0ZUEAIq7wEKCEFwcFN0YXRlEhkKFUFQUF9TVEFURV9V"
        "TlNQRUNJRklFRBAAEhgKFEFQUF9TVEFURV9SRUdJU1RFUkVEEAESGAoUQVBQX1NUQVRFX0lOU1RBTExJTkcQAhIXChNBUFBfU1RB"
        "VEVfSU5TVEFMTEVEEAMSFQoRQVBQX1NUQVRFX1JVTk5JTkcQBBIXChNBUFBfU1RBVEVfVU5IRUFMVEhZEAUSFAoQQVBQX1NUQVRF"
        "X0ZBSUxFRBAGEhoKFkFQUF9TVEFURV9VTklOU1RBTExJTkcQBxIZChVBUFBfU1RBVEVfVU5JTlNUQUxMRUQQCCp7CgtIZWFsdGhT"
        "dGF0ZRIcChhIRUFMVEhfU1RBVEVfVU5TUEVDSUZJRUQQABIYChRIRUFMVEhfU1RBVEVfVU5LTk9XThABEhgKFEhFQUxUSF9TVEFU"
        "RV9IRUFMVEhZEAISGgoWSEVBTFRIX1NUQVRFX1VOSEVBTFRIWRADYgZwcm90bzM="
    )
)

DependencyKind = EnumTypeWrapper(_FILE.enum_types_by_name["DependencyKind"])
AppState = EnumTypeWrapper(_FILE.enum_types_by_name["AppState"])
HealthState = EnumTypeWrapper(_FILE.enum_types_by_name["HealthState"])
Permission = GetMessageClass(_FILE.message_types_by_name["Permission"])
DependencyRequirement = GetMessageClass(_FILE.message_types_by_name["DependencyRequirement"])
Problem = GetMessageClass(_FILE.message_types_by_name["Problem"])
Violation = GetMessageClass(_FILE.message_types_by_name["Violation"])
Operation = GetMessageClass(_FILE.message_types_by_name["Operation"])
