const route = (path, name) => ({
  ...{ method: 'GET', path, handler: `hello.${name}` },
  config: { auth: false },
});

module.exports = {
  routes: [
    ...[route('/', 'page'), route('/list', 'list')],
    ...[route('/slow', 'slow'), route('/stream', 'stream'), route('/own', 'own')],
  ],
};
