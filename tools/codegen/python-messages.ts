import { file_appserver_v2_hooks as hooks } from "@appserver/contracts/proto/appserver/v2/hooks";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** Returns the module with which examples/board reads and writes the messages of hooks. It has the form that protoc writes. */
export function generatePythonMessages(): string {
  const descriptor = Buffer.from(toBinary(FileDescriptorProtoSchema, hooks.proto)).toString("base64");
  const lines = descriptor.match(/.{1,100}/g) ?? [];
  const messages = ["HookEvent", "SubscribeRequest", "SubscribeResponse"];
  return `"""Generated from contracts/proto/appserver/v2/hooks.proto by \`npm run generate\`. Do not edit."""

from base64 import b64decode

# Their messages are used by this file's.
from google.protobuf import descriptor_pool, struct_pb2, timestamp_pb2  # noqa: F401
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

_FILE = descriptor_pool.Default().AddSerializedFile(
    b64decode(
${lines.map((line) => `        "${line}"`).join("\n")}
    )
)

AckResult = EnumTypeWrapper(_FILE.enum_types_by_name["AckResult"])
${messages.map((name) => `${name} = GetMessageClass(_FILE.message_types_by_name["${name}"])`).join("\n")}
`;
}
