import type { Operation } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type {
  App,
  RegisterAppRequest,
  RegisterAppStreamRequest,
  ValidateManifestRequest,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { registrationTokenHeader } from "@appserver/contracts/signature";
import { AppError, type BufferLease, type Call } from "@appserver/kernel";
import { admitRegistration, type RegistrationRequest } from "../../use-cases/admit-registration.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { dryRunRegistration } from "../../use-cases/dry-run-registration.ts";
import type { CommandResult } from "../../use-cases/operation.ts";
import { registerApp } from "../../use-cases/register-app.ts";
import { assembleRegistration, type RegistrationMessage } from "./assemble-registration.ts";
import { problemMessage } from "./messages.ts";

/** A call that registers an app, with what the transport knows beyond the {@link Call}. Its caller is the registrant. */
export interface RegistrationCall extends Call {
  /** Returns a value of the metadata by its lower-case name. */
  header(name: string): string | undefined;
  /** Counts the memory that the call holds. The transport releases it. */
  readonly lease: BufferLease;
}

/** Converts the result of a command. */
type ResultOf = (result: CommandResult) => Promise<{ readonly app: App; readonly operation: Operation }>;

/** Returns the methods that an app calls before the platform has its key. */
export function registrationMethods(context: MarketplaceContext, resultOf: ResultOf) {
  const register = async (request: RegistrationRequest, call: Call) => {
    const { changed, warnings, ...registered } = await registerApp(context, request, call);
    return { ...(await resultOf(registered)), changed, warnings: warnings.map(problemMessage) };
  };

  return {
    registerApp: (request: RegisterAppRequest, call: RegistrationCall) => register(requestOf(request, call), call),
    registerAppStream: async (requests: AsyncIterable<RegisterAppStreamRequest>, call: RegistrationCall) => {
      const request = await assembleRegistration(requests, call.lease, async (header) => {
        const admitted = requestOf(header, call);
        await admitRegistration(context, admitted, call);
        return admitted;
      });
      return register(request, call);
    },
    validateManifest: async ({ manifest, manifestSignature }: ValidateManifestRequest, call: Call) => {
      const dryRun = { manifest: required(manifest), manifestSignature };
      const { violations, warnings, missingDependencies } = await dryRunRegistration(context, dryRun, call);
      return {
        valid: violations.length === 0,
        violations: violations.map(({ field, message }) => ({ field, message })),
        warnings: [
          ...warnings.map(({ field, message }) => ({ code: "INVALID_REQUEST", message: `${field} ${message}` }) as const),
          ...missingDependencies,
        ].map(problemMessage),
      };
    },
  };
}

/** A token in the message takes precedence over the one in the metadata. */
function requestOf({ manifest, token, manifestSignature }: RegistrationMessage, call: RegistrationCall): RegistrationRequest {
  return { manifest: required(manifest), token: token ?? call.header(registrationTokenHeader), manifestSignature };
}

function required(manifest: AppManifest | undefined): AppManifest {
  if (manifest) return manifest;
  throw new AppError("INVALID_REQUEST", "manifest is required", {
    violations: [{ field: "manifest", message: "is required" }],
  });
}
