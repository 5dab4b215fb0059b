import { ProfileRpcs } from "./accounts/profile/rpc.ts"
import { DiscoveryRpcs } from "./publishing/discovery/rpc.ts"
import { PostsRpcs } from "./publishing/posts/rpc.ts"
import { OwnUploadsRpcs } from "./publishing/uploads/ownRpc.ts"

/** Every procedure for another service of the operator. The service serves them at `/rpc`, together with those of administrators. */
export class ServiceRpcs extends PostsRpcs.merge(OwnUploadsRpcs, ProfileRpcs, DiscoveryRpcs) {}
