export { PublicBaseUrl } from "./PublicBaseUrl.ts"
