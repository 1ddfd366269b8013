/** Answers with a body of several chunks, or the status in the path. */
export default {
  async fetch(request: Request): Promise<Response> {
    const status = Number(new URL(request.url).pathname.slice(1)) || 200;
    if (status !== 200) return new Response('failed', { status });
    const chunks = Array.from({ length: 200 }, () => new Uint8Array(1_000));
    const pull = (controller: ReadableStreamDefaultController) => {
      const chunk = chunks.pop();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    };
    return new Response(new ReadableStream({ pull }));
  },
};
