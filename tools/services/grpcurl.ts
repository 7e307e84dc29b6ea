import type { GoProgram } from "./go-program.ts";

/** A gRPC client that is not ours: it speaks through grpc-go and learns the services by reflection. */
export const grpcurlProgram: GoProgram = {
  name: "grpcurl",
  version: "v1.9.3",
  source: { package: "github.com/fullstorydev/grpcurl/cmd/grpcurl" },
};
