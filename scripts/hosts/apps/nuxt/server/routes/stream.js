export default defineEventHandler(() => {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(encoder.encode('first\n'));
      await fetch(process.env.BACKEND_URL);
      controller.enqueue(encoder.encode('last\n'));
      controller.close();
    },
  });
});
