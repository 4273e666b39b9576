// What rank 0 and the others share.
#pragma once

#include <string>

#include "bootstrap/hmac.hpp"
#include "bootstrap/place.hpp"

namespace everylink {

Mac host_of(const Place&);          // a hash: hosts are only told apart by it
Socket listener_for(const Place&);  // not valid: nobody can ever need it, all are on this machine
void say(const std::string& line);  // for people, once

}  // namespace everylink
