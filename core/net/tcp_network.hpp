// The network of this machine: TCP through the kernel.
#pragma once

#include <memory>

#include "net/network.hpp"
#include "net/socket.hpp"

namespace everylink {

// It watches the connections that it makes or accepts (socket.hpp), so that a dark path ends them.
Network& tcp_network();

// For users of plain sockets. The listener's connections are not watched; `socket_of` takes the socket out of
// a connection.
std::unique_ptr<Listener> listener_on(Socket);
std::unique_ptr<ByteStream> stream_on(Socket);
Socket socket_of(std::unique_ptr<ByteStream>);

}  // namespace everylink
