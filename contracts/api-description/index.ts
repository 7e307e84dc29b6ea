export {
  type ApiDescription,
  type DescribedMethod,
  type DescribedOperation,
  type DescribedParameter,
  describedMethods,
  type ValueSchema,
  type ValueType,
  valueTypes,
} from "./api-description.ts";
export { type DescribedRoute, describedRoutes } from "./described-routes.ts";
