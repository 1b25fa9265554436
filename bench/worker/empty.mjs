// What a process costs before any code of ours.
export default { fetch: () => new Response("ok") };
