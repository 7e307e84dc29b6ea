export { authorizationModel, authorizationModelText } from "../generated/authorization-model.ts";
export { initialTuples, platformPermissions } from "./initial-tuples.ts";
export type { AuthorizationModelJson } from "./model-json.ts";
export {
  administrators,
  type HierarchyRelation,
  hierarchyRelation,
  installationTuples,
  type Permission,
  parsePermission,
  scopeObject,
  type Tuple,
} from "./permissions.ts";
