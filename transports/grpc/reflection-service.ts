import { file_google_rpc_error_details } from "@appserver/contracts/proto/google/rpc/error_details";
import { ServerReflection } from "@appserver/contracts/proto/grpc/reflection/v1/reflection";
import { ServerReflection as ServerReflectionAlpha } from "@appserver/contracts/proto/grpc/reflection/v1alpha/reflection";
import { createRegistry, type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { type GrpcService, grpcService } from "./grpc-service.ts";

interface Question {
  readonly messageRequest: { readonly case?: string | undefined; readonly value?: unknown };
}

/**
 * Creates server reflection in both versions (https://github.com/grpc/grpc/blob/master/doc/server-reflection.md). Tools such as
 * grpcurl read the services from the server.
 */
export function reflectionServices(services: readonly DescService[]): readonly GrpcService[] {
  const index = new DescriptorIndex([...services, ServerReflection, ServerReflectionAlpha]);
  async function* answerAll<T extends Question>(
    questions: AsyncIterable<T>,
  ): AsyncGenerator<{ originalRequest: T; messageResponse: Answer }> {
    for await (const question of questions) yield { originalRequest: question, messageResponse: index.answer(question) };
  }
  return [
    grpcService(ServerReflection, { serverReflectionInfo: (questions) => answerAll(questions) }),
    grpcService(ServerReflectionAlpha, { serverReflectionInfo: (questions) => answerAll(questions) }),
  ];
}

type Answer =
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: "allExtensionNumbersResponse"; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "errorResponse"; value: { errorCode: number; errorMessage: string } };

class DescriptorIndex {
  readonly #services: readonly DescService[];
  readonly #files = new Map<string, DescFile>();
  readonly #registry: ReturnType<typeof createRegistry>;

  constructor(services: readonly DescService[]) {
    this.#services = services;
    for (const service of services) this.#add(service.file);
    // No service refers to them: they are sent as details of errors, inside `google.protobuf.Any`.
    this.#add(file_google_rpc_error_details);
    this.#registry = createRegistry(...this.#files.values());
  }

  answer({ messageRequest: { case: kind, value } }: Question): Answer {
    const name = typeof value === "string" ? value : "";
    if (kind === "listServices") {
      return { case: "listServicesResponse", value: { service: this.#services.map(({ typeName }) => ({ name: typeName })) } };
    }
    // No message of the platform has extensions.
    if (kind === "allExtensionNumbersOfType" && this.#registry.getMessage(name)) {
      return { case: "allExtensionNumbersResponse", value: { baseTypeName: name, extensionNumber: [] } };
    }
    const file =
      kind === "fileByFilename" ? this.#files.get(name) : kind === "fileContainingSymbol" ? this.#fileOf(name) : undefined;
    if (!file) return { case: "errorResponse", value: { errorCode: Code.NotFound, errorMessage: `${name} is not known` } };
    const fileDescriptorProto = [...withImports(file)].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
    return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
  }

  /** Returns the file of a symbol. Members (methods, fields, enum values) are found through their parents. */
  #fileOf(symbol: string): DescFile | undefined {
    const owner = symbol.slice(0, Math.max(0, symbol.lastIndexOf(".")));
    return (this.#registry.get(symbol) ?? this.#registry.get(owner))?.file;
  }

  #add(file: DescFile): void {
    for (const each of withImports(file)) this.#files.set(nameOf(each), each);
  }
}

function withImports(file: DescFile, seen: Set<DescFile> = new Set()): Set<DescFile> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const dependency of file.dependencies) withImports(dependency, seen);
  return seen;
}

function nameOf(file: DescFile): string {
  return file.proto.name;
}
