// The peer of the bench `grpc`: connect-node alone. Every GetApp returns the same message, which the bench sends first.
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { GetAppResponseSchema, MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { fromBinary } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";

process.once("message", (base64: string) => {
  const response = fromBinary(GetAppResponseSchema, Buffer.from(base64, "base64"));
  const handler = connectNodeAdapter({ routes: (router) => router.service(MarketplaceService, { getApp: () => response }) });
  const server = createServer(handler).listen(0, "127.0.0.1", () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
});
process.on("disconnect", () => process.exit());
