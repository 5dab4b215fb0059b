/** The ways to pay, for agents that compare rails: the document `/.well-known/railhint.json` and an extension of a 402. */
export const railHint = (base: string, network: string) => ({
  cheapest: network,
  why: "The only rail: XNO has no network fee, so the quoted amount is the whole cost, from 0.00001 XNO, final in about a second.",
  docs: `${base}/docs`,
  site: base,
  agentReadme: `${base}/llms.txt`,
  spec: "x402 exact scheme on nano:mainnet"
})
