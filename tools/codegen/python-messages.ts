import { file_appserver_v2_access as access } from "@appserver/contracts/proto/appserver/v2/access";
import { file_appserver_v2_activity as activity } from "@appserver/contracts/proto/appserver/v2/activity";
import { file_appserver_v2_hooks as hooks } from "@appserver/contracts/proto/appserver/v2/hooks";
import { file_appserver_v2_settings as settings } from "@appserver/contracts/proto/appserver/v2/settings";
import { type DescFile, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

const folder = "sdk/python/src/appserver_sdk/proto";

/**
 * The modules with which the SDK for Python reads and writes messages, by path: those of its services, and of all that these import.
 * They have the form that protoc writes.
 */
export const pythonModules: Readonly<Record<string, () => string>> = Object.fromEntries(
  [...withImports([access, activity, hooks, settings])].map((file) => [`${folder}/${moduleOf(file)}.py`, () => textOf(file)]),
);

function withImports(files: readonly DescFile[]): ReadonlySet<DescFile> {
  return new Set(files.flatMap((file) => [file, ...withImports(file.dependencies.filter(isOwn))]));
}

function isOwn({ name }: DescFile): boolean {
  return name.startsWith("appserver/");
}

/** Returns the name of the module of a file: `hooks_pb2` for `appserver/v2/hooks`. */
function moduleOf({ name }: DescFile): string {
  return `${name.slice(name.lastIndexOf("/") + 1)}_pb2`;
}

function textOf(file: DescFile): string {
  const descriptor = Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)).toString("base64");
  const lines = descriptor.match(/.{1,100}/g) ?? [];
  const imported = (from: string, files: readonly DescFile[]): readonly string[] =>
    files.length === 0 ? [] : [`from ${from} import ${files.map(moduleOf).sort().join(", ")}  # noqa: F401`];
  const others = file.dependencies.filter((each) => !isOwn(each));
  return `${[
    `"""Generated from contracts/proto/${file.name}.proto by \`npm run generate\`. Do not edit."""`,
    "",
    "from base64 import b64decode",
    "",
    "from google.protobuf import descriptor_pool",
    ...(file.enums.length > 0 ? ["from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper"] : []),
    "from google.protobuf.message_factory import GetMessageClass",
    ...(file.dependencies.length > 0 ? ["", "# Their messages are used by this file's."] : []),
    ...imported("google.protobuf", others),
    ...imported(".", file.dependencies.filter(isOwn)),
    "",
    "_FILE = descriptor_pool.Default().AddSerializedFile(",
    "    b64decode(",
    ...lines.map((line) => `        "${line}"`),
    "    )",
    ")",
    "",
    ...file.enums.map(({ name }) => `${name} = EnumTypeWrapper(_FILE.enum_types_by_name["${name}"])`),
    ...file.messages.map(({ name }) => `${name} = GetMessageClass(_FILE.message_types_by_name["${name}"])`),
    ...file.services.map(({ name }) => `${name} = _FILE.services_by_name["${name}"]`),
  ].join("\n")}\n`;
}
