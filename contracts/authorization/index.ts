export { authorizationModel, authorizationModelText } from "../generated/authorization-model.ts";
export {
  administratorRole,
  initialTuples,
  isPlatformPermission,
  notifyPermission,
  originPermission,
  peoplePermission,
  platformPermissions,
  rootPermission,
  scopeOwner,
} from "./initial-tuples.ts";
export { machineHolds, managePermission, parseTokenScope, tokenScopeForm } from "./machines.ts";
export type { AuthorizationModelJson } from "./model-json.ts";
export {
  administrators,
  type HierarchyRelation,
  hierarchyRelation,
  installationTuples,
  isPermission,
  type OwnedScope,
  type Permission,
  parsePermission,
  permissionForm,
  permissionOf,
  scopeObject,
  type Tuple,
} from "./permissions.ts";
export { grantableSubject, groupName, groupObject, readableSubject, subjectForm, usersetOf } from "./subjects.ts";
