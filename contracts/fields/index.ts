export { type Places, placedMisfit, placesOf, placeText } from "./places.ts";
export { enumPrefix, type Misfit, readFields } from "./read-fields.ts";
