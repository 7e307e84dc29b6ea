import { enumPrefix } from "@appserver/contracts/fields";
import { type FieldName, fieldPatterns, requiredFields } from "@appserver/contracts/platform-file";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { PlatformFileSchema } from "@appserver/contracts/proto/appserver/v2/platform_file";
import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { protoComments } from "./proto-comments.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** What a file has in another form than its message, by field. Undefined: the file does not have it. */
type Overrides = Readonly<Record<FieldName, JsonSchema | undefined>>;

const texts = { type: "array", items: { type: "string" } } as const;

/** `app.yaml` names files where the message has their contents, and the certificate is a file of its own. */
const appOverrides: Overrides = {
  "AppManifest.certificate": undefined,
  "WebApp.assets": {
    description: "The files that are sent to browsers: their names, or a folder with patterns of files that are left out.",
    anyOf: [
      texts,
      {
        type: "object",
        properties: { folder: { type: "string" }, exclude: texts },
        required: ["folder"],
        additionalProperties: false,
      },
    ],
  },
};

/** What `app.yaml` has besides the manifest. */
const folderFields: Readonly<Record<string, JsonSchema>> = {
  command: {
    description: "Starts the backend where the folder itself runs: a program and its arguments.",
    ...texts,
    minItems: 1,
  },
  build: {
    description: "Makes what the folder needs to run, before it is deployed: a program and its arguments.",
    ...texts,
    minItems: 1,
  },
  page: { description: "The folders that only browsers get: [web, dist]. The backend runs without them.", ...texts },
};

/** The generators of the JSON schemas of hand-written files, by path. */
export const schemaGenerators: Readonly<Record<string, () => string>> = {
  "contracts/generated/schemas/app.json": () =>
    textOf(AppManifestSchema, "app.yaml of Appserver", {
      overrides: appOverrides,
      added: folderFields,
      required: ["AppManifest.name", "AppManifest.version", "AppManifest.web_app"],
    }),
  "contracts/generated/schemas/platform.json": () =>
    textOf(PlatformFileSchema, "platform.yaml of Appserver", { overrides: {}, added: {}, required: requiredFields }),
};

interface Rules {
  readonly overrides: Overrides;
  /** Fields of the file that the message does not have. */
  readonly added: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly FieldName[];
}

function textOf(root: DescMessage, title: string, rules: Rules): string {
  const comments = protoComments();
  const $defs: Record<string, JsonSchema> = {};
  const open = [root];
  for (const message of open) {
    if ($defs[message.name]) continue;
    $defs[message.name] = messageSchema(message, rules, comments);
    open.push(...message.fields.filter((field) => isKept(message, field, rules)).flatMap((field) => nested(field) ?? []));
  }
  const { [root.name]: whole = {}, ...others } = $defs;
  const properties = { ...(whole["properties"] as object), ...rules.added };
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", title, ...whole, properties, $defs: others };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function isKept(message: DescMessage, field: DescField, { overrides }: Rules): boolean {
  return !Object.hasOwn(overrides, `${message.name}.${field.name}`);
}

/** Returns the platform's message that a field contains. */
function nested(field: DescField): DescMessage | undefined {
  const message = field.fieldKind === "map" ? (field.mapKind === "message" ? field.message : undefined) : field.message;
  return message?.typeName.startsWith("appserver.") ? message : undefined;
}

function messageSchema(message: DescMessage, rules: Rules, comments: ReadonlyMap<string, string>): JsonSchema {
  const named = message.fields.map((field) => [field, `${message.name}.${field.name}` as const] as const);
  const properties = named.flatMap(([field, name]) => {
    const schema = Object.hasOwn(rules.overrides, name)
      ? rules.overrides[name]
      : described(fieldSchema(field, name), name, comments);
    return schema ? [[field.name, schema] as const] : [];
  });
  const required = named.filter(([, name]) => rules.required.includes(name)).map(([field]) => field.name);
  return described(
    {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    message.name,
    comments,
  );
}

function described(schema: JsonSchema, name: string, comments: ReadonlyMap<string, string>): JsonSchema {
  const description = comments.get(name);
  return description === undefined ? schema : { description, ...schema };
}

function fieldSchema(field: DescField, name: FieldName): JsonSchema {
  if (field.fieldKind === "list") return { type: "array", items: itemSchema(field, name) };
  if (field.fieldKind === "map") return { type: "object", additionalProperties: itemSchema(field, name) };
  return itemSchema(field, name);
}

function itemSchema(field: DescField, name: FieldName): JsonSchema {
  if (field.message) return nested(field) ? { $ref: `#/$defs/${field.message.name}` } : {};
  if (field.enum) return { enum: valuesOf(field.enum) };
  const pattern = fieldPatterns[name];
  return { ...scalarSchema(field.scalar), ...(pattern === undefined ? {} : { pattern }) };
}

function valuesOf(type: DescEnum): readonly string[] {
  return type.values.filter(({ number }) => number !== 0).map((value) => value.name.slice(enumPrefix(type).length));
}

function scalarSchema(scalar: ScalarType | undefined): JsonSchema {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.INT32:
      return { type: "integer" };
    case ScalarType.INT64:
      return { anyOf: [{ type: "integer" }, { type: "string", pattern: "^-?[0-9]+$" }] };
    default:
      return { type: "string" };
  }
}
