import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";

/** One protobuf service with what implements it; made by {@link grpcService}. */
export interface GrpcService {
  readonly service: DescService;
  readonly register: (router: ConnectRouter) => void;
}

/** Pairs a service with its implementation. Methods left out answer UNIMPLEMENTED. */
export function grpcService<T extends DescService>(service: T, implementation: Partial<ServiceImpl<T>>): GrpcService {
  return { service, register: (router) => router.service(service, implementation) };
}
