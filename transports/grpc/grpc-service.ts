import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";

/** One protobuf service with its implementation. Created by {@link grpcService}. */
export interface GrpcService {
  readonly service: DescService;
  readonly register: (router: ConnectRouter) => void;
}

/** Pairs a service with its implementation. Omitted methods return UNIMPLEMENTED. */
export function grpcService<T extends DescService>(service: T, implementation: Partial<ServiceImpl<T>>): GrpcService {
  return { service, register: (router) => router.service(service, implementation) };
}
