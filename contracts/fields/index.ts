export { type Places, placedMisfit, placeText } from "./places.ts";
export { enumPrefix, type Misfit, readFields } from "./read-fields.ts";
