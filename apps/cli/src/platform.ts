import { createPlatformClient, type PlatformClient } from "@appserver/sdk";
import { UsageError } from "./usage-error.ts";

/** Options that every command takes. */
export interface GlobalOptions {
  readonly grpc: string;
  readonly token?: string;
  readonly json: boolean;
}

/** The platform as the options say. Throws {@link UsageError} for an address that is no URL. */
export function connect(options: GlobalOptions): PlatformClient {
  if (!URL.canParse(options.grpc))
    throw new UsageError(`--grpc must be a URL like http://127.0.0.1:9090, got ${JSON.stringify(options.grpc)}`);
  return createPlatformClient({ grpcUrl: options.grpc, ...(options.token === undefined ? {} : { token: options.token }) });
}
