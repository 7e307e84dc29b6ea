import { AppError } from "@appserver/kernel";

export function noSuchRoute(): AppError {
  return new AppError("NOT_FOUND", "no route has this path");
}
