import type { GoProgram } from "./go-program.ts";

/** A third-party gRPC client. It uses grpc-go and discovers the services by reflection. */
export const grpcurlProgram: GoProgram = {
  name: "grpcurl",
  version: "v1.9.3",
  source: { package: "github.com/fullstorydev/grpcurl/cmd/grpcurl" },
};
